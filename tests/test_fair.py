"""Fair packs: the commitment, the shuffle and its numbers, and what the table records of them."""

import hmac
import re
import subprocess
import sys
from collections import Counter
from math import erf, factorial, log2, sqrt
from pathlib import Path

import pytest
from table_games import Kept, play, sealed
from table_rig import Rig

from engine.cards import PACK, cards
from engine.notation import loads, read_header, replay
from engine.rules import Rules
from engine.views import Phase
from firmware.table.book import Saved
from firmware.table.fairness import (
    SEAL_SYMBOLS,
    SECRET_BYTES,
    Sealed,
    Source,
    commitment_of,
    seal_of,
    shuffled,
)
from firmware.table.scenes import GameScene, LobbyScene
from firmware.table.store import Entry
from hardware.seat import Button

PAGE = (Path(__file__).parents[1] / "docs" / "fairness.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
SECRET = bytes(range(32))


def run(program, *args):
    """What a program of the page prints."""
    command = [sys.executable, "-c", program, *map(str, args)]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout


# The shuffle


def chi_square(counts, rounds):
    """How far counts of card by place are from even, and how likely a larger distance is by chance.

    A shuffle puts each card at one place, so of 52 × 52 counts 51 × 51 are free; the sum over all is scaled
    by 51/52 to have that mean. The likelihood is Wilson and Hilferty's.
    """
    even = rounds / 52
    free = 51 * 51
    distance = sum((counts[card, place] - even) ** 2 / even for card in PACK for place in range(52)) * 51 / 52
    normal = ((distance / free) ** (1 / 3) - (1 - 2 / (9 * free))) / sqrt(2 / (9 * free))
    return distance, 0.5 * (1 - erf(normal / sqrt(2)))


def test_200_000_shuffles_are_even():
    """Every card comes to every place equally often: chi-square over card × place, p above 1e-4."""
    counts = Counter()
    rounds = 200_000
    for number in range(rounds):
        counts.update(zip(shuffled(PACK, number.to_bytes(32, "big"), "@5 deal"), range(52), strict=True))
    _, likelihood = chi_square(counts, rounds)
    assert 1e-4 < likelihood < 1 - 1e-4


def test_the_chi_square_sees_a_bias():
    """A shuffle in which one card in fifty stays where it was is found out with a tenth of the rounds."""
    counts = Counter()
    rounds = 20_000
    for number in range(rounds):
        pack = PACK if number % 50 == 0 else shuffled(PACK, number.to_bytes(32, "big"), "")
        counts.update(zip(pack, range(52), strict=True))
    assert chi_square(counts, rounds)[1] < 1e-4


def test_every_order_of_a_small_pack_comes_equally_often():
    """24,000 shuffles of four cards: each of the 24 orders comes about 1,000 times."""
    four = PACK[:4]
    orders = Counter(shuffled(four, SECRET, f"@{number} deal") for number in range(24_000))
    assert len(orders) == 24
    distance = sum((count - 1000) ** 2 / 1000 for count in orders.values())
    assert distance < 59  # chi-square of 23 free counts is beyond it once in 20,000


def test_a_byte_that_would_favour_low_places_is_left_out():
    """For 52 places the bytes 208 to 255 are not used: the next one is."""
    for number in range(200):
        message = f"@{number} deal"
        stream = _bytes(message)
        if stream[0] >= 208 and stream[1] < 208:
            assert shuffled(PACK, SECRET, message)[-1] == PACK[stream[1] % 52]
            return
    pytest.fail("no such message")


def _bytes(message):
    return hmac.digest(SECRET, f"{message}\n0".encode(), "sha256")


def test_the_secret_has_more_states_than_a_pack_has_orders():
    """256 bits cover 52! orders 2 to the 30 times over."""
    assert SECRET_BYTES * 8 - log2(factorial(52)) > 30


def test_any_cards_can_be_shuffled():
    """The result has just the cards given; none and one are no trouble."""
    for count in (0, 1, 2, 17, 52):
        assert sorted(shuffled(PACK[:count], SECRET, "x")) == list(PACK[:count])


# The page's numbers


def vectors():
    """The table of test vectors: what it is, and the value."""
    part = PAGE.split("## Test vectors")[1]
    return dict(re.findall(r"^\| (\w.*?) \| `(.*?)` \|$", part, re.MULTILINE))


def test_the_vectors_of_the_page():
    """Commitment, seal and packs are as docs/fairness.md prints them."""
    found = vectors()
    assert found["commitment"] == commitment_of(SECRET)
    assert found["seal"] == seal_of(commitment_of(SECRET))
    assert found["first bytes for the message `@5 deal`"] == _bytes("@5 deal")[:8].hex(" ")
    assert cards(found["pack for the message `@5 deal`"]) == shuffled(PACK, SECRET, "@5 deal")
    draw = next(value for name, value in found.items() if "@2000000 draw" in name)
    assert cards(draw) == shuffled(PACK, SECRET, "presses 1p1200345 2l1733101\n@2000000 draw")


def test_ten_lines_give_the_first_vector():
    """The page's ten lines, run as they stand, print the commitment and the pack of the test vectors."""
    assert PROGRAMS[0].count("\n") == 10
    commitment, pack = run(PROGRAMS[0]).splitlines()
    assert commitment == vectors()["commitment"]
    assert pack == vectors()["pack for the message `@5 deal`"]


def test_the_page_s_program_checks_a_record(tmp_path):
    """The page's second program, as it stands, finds every pack of a game right, and a swapped pair wrong."""
    _, kept = play(3)
    file = tmp_path / "game.txt"
    file.write_text(kept.records[0], encoding="utf-8")
    lines = run(PROGRAMS[1], file).split("\n")[:-1]
    assert set(lines) == {"commitment True", "draw True", "deal True"}
    words = kept.records[0].split(" ")
    at = words.index("deal") + 5
    words[at], words[at + 1] = words[at + 1], words[at]
    file.write_text(" ".join(words), encoding="utf-8")
    assert "deal False" in run(PROGRAMS[1], file).split("\n")


def test_seals():
    """A seal is twelve symbols that nobody takes for others, the commitment's first 60 bits."""
    assert seal_of("0" * 64) == "0000 0000 0000"
    assert seal_of("f" * 15 + "0" * 49) == "ZZZZ ZZZZ ZZZZ"
    assert len(set(SEAL_SYMBOLS)) == 32
    assert not set("ILOU") & set(SEAL_SYMBOLS)
    assert seal_of("08" + "0" * 62) == "1000 0000 0000"


# At the table


def test_every_game_has_a_secret_of_its_own():
    """32 bytes are asked for each game, before it; commitment and secret go with each other."""
    asked = []

    def entropy(count):
        asked.append(count)
        return bytes([len(asked)] * count)

    chance = Sealed(entropy)
    first, second = chance.prepare(), chance.prepare()
    assert asked == [32, 32]
    assert first.commitment == commitment_of(bytes([1] * 32))
    assert first != second


def test_a_game_goes_on_only_with_its_own_secret():
    """Another secret than the one committed to is refused."""
    chance = sealed(1)
    source = chance.prepare()
    chance.resume(source, [])
    with pytest.raises(ValueError, match="not the one that was committed to"):
        chance.resume(Source(source.commitment, "00" * 32), [])


def test_the_seal_is_on_every_screen_before_the_first_card():
    """In the lobby, after the draw and after the game every screen has the seal; it is the record's."""
    kept = Kept()
    rig = Rig((1, 2, 3), chance=sealed(1), journal=kept, rules=Rules(limit=5))
    before = {rig.scene(seat).seal for seat in (1, 2, 3)}
    assert isinstance(rig.scene(1), LobbyScene)
    assert len(before) == 1
    assert all(before)
    rig.sit_and_start(1, 2)
    assert {rig.scene(seat).seal for seat in (1, 2, 3)} == before
    assert {seal_of(read_header(kept.records[0]).commitment)} == before
    rig.play_to(Phase.OVER)
    after = {rig.scene(seat).seal for seat in (1, 2, 3)}
    assert len(after) == 1
    assert after != before
    rig.press(1, Button.PLAY)
    assert {seal_of(read_header(kept.records[1]).commitment)} == after


def test_the_secret_is_written_at_the_end_and_not_before():
    """While a game is on its lines do not have the secret; the last line of a game that is over does."""
    kept = Kept()
    rig = Rig((1, 2), chance=sealed(1), journal=kept, rules=Rules(limit=12))
    rig.sit_and_start(1, 2)
    while rig.session.state.phase is not Phase.OVER:
        assert kept.secrets[0] not in kept.records[0]
        rig.move_on()
    assert kept.games[0][-1] == f"reveal {kept.secrets[0]}"
    assert commitment_of(bytes.fromhex(kept.secrets[0])) == read_header(kept.records[0]).commitment


@pytest.mark.parametrize("shift", [0.001, 0.000001])
def test_a_press_at_another_time_gives_another_pack(shift):
    """The same secret and the same presses, one of them later by a microsecond: every pack is another."""

    def packs(rest):
        kept = Kept()
        rig = Rig((1, 2), chance=sealed(1), journal=kept)
        rig.press(1, Button.LEFT)
        rig.wait(rest)
        rig.press(2, Button.LEFT)
        rig.press(1, Button.PLAY)
        rig.move_on()
        return [step.action for step in replay(kept.records[0])]

    assert packs(0.0) == packs(0.0)
    assert not [one for one, two in zip(packs(0.0), packs(shift), strict=True) if one == two]


def test_presses_before_the_commitment_do_not_count():
    """Only what was pressed after the seal was shown is in the record, at most the last 32 presses."""
    rig, kept = play(1, games=2)
    first, second = (loads(text).noted("presses")[0].split() for text in kept.records)
    assert [press[:2] for press in first] == ["1l", "2l", "3l", "1p"]
    assert [press[:2] for press in second] == ["1p"]
    assert rig.session.state.phase is Phase.OVER
    kept = Kept()
    rig = Rig((1, 2), chance=sealed(1), journal=kept)
    rig.press(1, Button.LEFT)
    for _ in range(40):
        rig.press(1, Button.RIGHT, rest_s=0.01)
    rig.press(1, Button.PLAY)
    (line,) = loads(kept.records[0]).noted("presses")
    assert len(line.split()) == 32
    assert line.split()[-1].startswith("1p")


def test_simulated_games_are_declared():
    """Games dealt from a seed or from a fixed pack say so in place of a commitment, and show no seal."""
    for options, source in (
        ({"seed": 7}, "seed 7 game 1"),
        ({"pack": cards("2c As") + tuple(card for card in PACK if card not in cards("2c As"))}, "pack"),
    ):
        kept = Kept()
        rig = Rig((1, 2), journal=kept, **options)
        assert rig.scene(1).seal == ""
        rig.sit_and_start(1, 2)
        header = read_header(kept.records[0])
        assert (header.simulated, header.commitment) == (source, "")


def test_scenes_and_states_know_no_secret():
    """No scene of any seat has the secret, at any time of a game."""
    kept = Kept()
    rig = Rig((1, 2, 3), chance=sealed(1), journal=kept, rules=Rules(limit=5))
    rig.sit_and_start(1, 2)
    while rig.session.state.phase is not Phase.OVER:
        for seat in (1, 2, 3):
            scene = rig.scene(seat)
            assert isinstance(scene, GameScene)
            assert kept.secrets[0] not in repr(scene)
            assert kept.secrets[0] not in repr(rig.session.state)
        rig.move_on()


def test_no_secret_or_card_is_shown_by_what_a_crash_report_prints():
    """What holds secrets and records does not print them: sources, saved games, entries of the journal."""
    source = sealed(1).prepare()
    saved = Saved("@5 play 1 9h", source.secret, False, 1)
    entry = Entry(("@5 play 1 9h",), begins=source.secret)
    for value in (source, saved, entry):
        assert source.secret not in repr(value)
        assert "9h" not in repr(value)


def test_the_session_takes_no_chance_but_what_it_is_given():
    """The table's program asks for no entropy of its own: two runs of one source are one record."""
    assert play(4)[1].records == play(4)[1].records
