"""``twentytwo verify``: every pack recomputed, and what is said of records that were changed."""

import random
from functools import cache

import pytest
from table_games import Kept, play
from table_rig import Rig

from engine.game import clockwise
from engine.notation import Header, Player, dumps, loads, replay
from engine.rules import Rules
from firmware.chance import Shuffler, bots
from firmware.cli import main
from firmware.selfplay import play as let_play
from firmware.table.fairness import commitment_of, counted, seal_of
from firmware.verify import unfair


@cache
def fair_record(seed=3):
    """The record of a whole game of three players."""
    return play(seed, rules=Rules(limit=15))[1].records[0]


def lines_of(word):
    """Where lines of this word stand in the record."""
    return [at for at, line in enumerate(fair_record().split("\n")) if f" {word} " in line]


def verify(tmp_path, text, *options):
    """Run the command on a record with this text."""
    file = tmp_path / "game.txt"
    file.write_text(text, encoding="utf-8")
    return main(["verify", str(file), *options])


def test_a_fair_game(tmp_path, capsys):
    """A record as the table left it has exit code 0, and the seal is printed."""
    record = loads(fair_record())
    assert verify(tmp_path, fair_record()) == 0
    out = capsys.readouterr().out
    assert ": fair: all " in out
    assert f"seal {seal_of(record.header.commitment)}" in out


@pytest.mark.parametrize("deal", range(len(lines_of("deal"))))
def test_one_swapped_pair_in_any_deal_is_found(deal):
    """Two cards of a hand exchanged for each other in a deal: the rules allow it all, verify names the deal.

    The two cards go to the same seat, so that the rest of the game stays legal.
    """
    lines = fair_record().split("\n")
    at = lines_of("deal")[deal]
    words = lines[at].split(" ")
    state = list(replay("\n".join(lines[:at]) + "\n"))[-1].state
    one, two = 2, 2 + len(clockwise(state, state.dealer))
    words[one], words[two] = words[two], words[one]
    lines[at] = " ".join(words)
    (fault,) = unfair("\n".join(lines))
    assert f"line {at + 1}, deal {deal + 1}: card 1 is {words[one]}, the secret gives {words[two]}" in fault


@pytest.mark.parametrize("seed", range(5))
def test_any_swapped_pair_is_found(seed):
    """Any two cards of any deal exchanged for each other, the game cut off there: verify names the deal."""
    dice = random.Random(seed)
    lines = fair_record().split("\n")
    at = dice.choice(lines_of("deal"))
    words = lines[at].split(" ")
    one, two = sorted(dice.sample(range(2, len(words)), 2))
    words[one], words[two] = words[two], words[one]
    changed = [*lines[:at], " ".join(words), "abandoned", lines[-2], ""]
    (fault,) = unfair("\n".join(changed))
    assert fault.startswith(f"line {at + 1}, deal ")
    assert f"card {one - 1} is {words[one]}" in fault


def test_a_changed_draw_is_found():
    """A card drawn for first dealer that the secret does not give is named as well."""
    lines = fair_record().split("\n")
    (at,) = lines_of("draw")
    words = lines[at].split(" ")
    words[2] = next(card for card in ("2c", "2d", "2h", "2s") if card not in words)
    changed = [*lines[:at], " ".join(words), "abandoned", lines[-2], ""]
    (fault,) = unfair("\n".join(changed))
    assert "the draw for dealer: card 1 is 2" in fault


def test_a_changed_time_of_a_press_is_found():
    """A stamp or a press changed by a microsecond changes every pack after it."""
    text = fair_record()
    first = text.index("presses 1l") + len("presses 1l")
    end = text.index(" ", first)
    changed = f"{text[:first]}{int(text[first:end]) + 1}{text[end:]}"
    assert len(list(unfair(changed))) == len(lines_of("deal")) + 1


def test_a_changed_commitment_is_found(tmp_path, capsys):
    """A commitment that is not the secret's, and a seal that is not the one noted, have exit code 1."""
    text = fair_record()
    record = loads(text)
    other = commitment_of(b"another")
    assert verify(tmp_path, text.replace(record.header.commitment, other)) == 1
    assert "the revealed secret has the hash" in capsys.readouterr().out
    seal = seal_of(record.header.commitment)
    assert verify(tmp_path, text, "--seal", seal) == 0
    assert verify(tmp_path, text, "--seal", seal.lower().replace(" ", "")) == 0
    assert verify(tmp_path, text, "--seal", seal_of(other)) == 1
    assert f"the screens showed the seal {seal_of(other)}, this record's" in capsys.readouterr().out


def test_another_secret_with_its_own_commitment_is_found():
    """A record with both commitment and secret exchanged has no pack that fits."""
    record = loads(fair_record())
    other = bytes(32)
    text = fair_record().replace(record.header.commitment, commitment_of(other))
    text = text.replace(record.noted("reveal")[0], other.hex())
    assert len(list(unfair(text))) == len(lines_of("deal")) + 1


def test_a_missing_reveal_is_found(tmp_path, capsys):
    """Without the secret nothing can be checked: exit code 1, and that is said."""
    text = fair_record()
    assert verify(tmp_path, text[: text.index("reveal ")]) == 1
    assert "the secret is not revealed" in capsys.readouterr().out


def test_simulated_and_old_records_are_no_proof(tmp_path, capsys):
    """A simulated game, and a record of version 1, have exit code 1 and are named as what they are."""
    kept = Kept()
    rig = Rig((1, 2), seed=5, journal=kept)
    rig.sit_and_start(1, 2)
    assert verify(tmp_path, kept.records[0]) == 1
    assert "simulated (seed 5 game 1): its packs are no fair deal" in capsys.readouterr().out
    header = Header((1, 2), players=(Player(1, "random"), Player(2, "random")))
    mind = bots(1)["random"]
    record, _ = let_play(header, {1: mind(), 2: mind()}, Shuffler(1))
    assert verify(tmp_path, dumps(record)) == 1
    assert "no commitment was recorded" in capsys.readouterr().out


def test_records_that_are_none(tmp_path, capsys):
    """A game against the rules has exit code 1 as in replay, a file that is no record exit code 2."""
    text = fair_record()
    assert verify(tmp_path, text.replace("result won", "result won 1")) == 1
    assert "breaks R22" in capsys.readouterr().out
    assert verify(tmp_path, "hello\n") == 2
    assert "this is no record" in capsys.readouterr().err


def test_what_else_the_record_declares_is_told(tmp_path, capsys):
    """Lines written late, interruptions and a game given up are told beside the verdict."""
    lines = fair_record().split("\n")
    at = lines_of("deal")[1]
    changed = [*lines[:at], "late 3", "resumed", lines[at], "late 2", "abandoned", lines[-2], ""]
    assert verify(tmp_path, "\n".join(changed)) == 0
    assert "5 lines were written late, resumed once, abandoned before its end" in capsys.readouterr().out


@pytest.mark.parametrize(
    "seal", ["", " ", "7ZKX 0Q4M", "7ZKX 0Q4M T9B22", "7ZKX 0Q4M T9BU", "\x1b[31m" + "x" * 5000]
)
def test_a_seal_that_is_none_is_refused(tmp_path, capsys, seal):
    """An empty or malformed seal is a usage error, never taken for one that fits; it is quoted harmlessly."""
    assert verify(tmp_path, fair_record(), "--seal", seal) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "is no seal: it has 12 digits and letters" in err
    assert err.rstrip("\n").isprintable()
    assert len(err) < 300


def test_long_quotes_are_shortened(tmp_path, capsys):
    """What a record quotes, however long, leaves the verdict on a bearable line."""
    text = fair_record()
    assert verify(tmp_path, text.replace("result won", "result won" + " 1" * 100_000)) == 1
    assert len(capsys.readouterr().out) < 1100
    assert verify(tmp_path, "twentytwo 1\nseats 1 2\n" + "x" * 5000) == 2
    assert len(capsys.readouterr().err) < 400


def test_many_lines_are_read_once(tmp_path, monkeypatch):
    """Each line is asked once what it counts for, however many packs follow: the work is linear."""
    asked = []
    monkeypatch.setattr("firmware.verify.counted", lambda line: asked.append(line) or counted(line))
    lines = fair_record().split("\n")
    at = lines_of("draw")[0]
    lines[at:at] = ["late 1"] * 1000
    assert verify(tmp_path, "\n".join(lines)) == 0
    assert len(asked) == len(lines)
