"""Version 2 of the record: stamps, notes, where the packs come from; and version 1 stays as it was."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import by_chance

from engine.cards import NotationError
from engine.game import apply, new_game
from engine.notation import Header, Note, Player, Record, dumps, loads, read_header, replay
from engine.rules import Rules
from engine.state import Phase

DIGEST = "0123456789abcdef" * 4
HEAD = f"twentytwo 2\nseats 1 2\ncommitment {DIGEST}\n\n"


def record_of(seed, whole):
    """A game by chance with stamps and every kind of note."""
    chance = Random(seed)
    header = Header(
        (1, 4),
        Rules(limit=5),
        (Player(1, "person", "Nia"), Player(4, "steady")),
        version=2,
        began="2026-03-01T19:05:00+01:00",
        commitment=DIGEST,
    )
    state = new_game(header.seats, header.rules)
    actions, stamps, notes = [], [], [Note(0, "presses 1p120000 4l3 1m0")]
    while state.phase is not Phase.OVER and (whole or len(actions) < seed % 20):
        action = by_chance(state, chance)
        state, _ = apply(state, action)
        actions.append(action)
        stamps.append(chance.randrange(10**9))
        if chance.random() < 0.1:
            notes.append(
                Note(len(actions), chance.choice(["late 3", "resumed", "player 4 person", "player 1 steady"]))
            )
    over = state.phase is Phase.OVER
    end = len(actions) + over
    if not over:
        notes.append(Note(end, "abandoned"))
    notes += [Note(end, f"reveal {DIGEST}"), Note(end, "late 1")]
    return Record(header, tuple(actions), over, tuple(stamps), tuple(notes))


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), whole=st.booleans())
def test_round_trip(seed, whole):
    """A record with stamps and notes, written and read again, is equal, and so is its text."""
    record = record_of(seed, whole)
    text = dumps(record)
    assert loads(text) == record
    assert dumps(loads(text)) == text
    assert [step.at for step in replay(text)] == list(record.stamps)


def test_what_was_noted_can_be_asked_for():
    """Notes are found by their word, in order."""
    record = record_of(3, whole=True)
    assert record.noted("presses") == ["1p120000 4l3 1m0"]
    assert record.noted("reveal") == [DIGEST]
    assert record.noted("abandoned") == []


def test_simulated_games_say_so():
    """A game whose packs come from a seed or a file names that in place of the commitment."""
    for source in ("seed 7 game 2", "seed -1 game 1", "pack", "chance"):
        header = read_header(f"twentytwo 2\nseats 1 2\nsimulated {source}\n")
        assert (header.simulated, header.commitment) == (source, "")


@pytest.mark.parametrize(
    ("text", "line", "part"),
    [
        ("twentytwo 2\nseats 1 2\ncommitment 12ab\n", 3, "commitment is '12ab': write it as docs/record.md"),
        ("twentytwo 2\nseats 1 2\ncommitment\n", 3, "commitment says nothing"),
        (HEAD + f"commitment {DIGEST}\n", 5, "the line with commitment stands twice"),
        (HEAD + "simulated pack\n", 5, "is not simulated: write one of the two"),
        ("twentytwo 2\nseats 1 2\nsimulated dice\n", 3, "simulated is 'dice'"),
        ("twentytwo 2\nseats 1 2\nbegan yesterday\n", 3, "began is 'yesterday'"),
        (
            "twentytwo 2\nseats 1 2\nended now\n",
            3,
            "'ended' cannot stand here: write rule, player, began, commit",
        ),
        (HEAD + "@x draw 2c 3c\n", 5, "'@x' is no time: write @ and microseconds"),
        (HEAD + "@-5 draw 2c 3c\n", 5, "'@-5' is no time"),
        (HEAD + "@5\n", 5, "'' is no action"),
        (HEAD + "@5 late 3\n", 5, "'late' is no action"),
        (HEAD + "presses 1x5\n", 5, "'presses 1x5' says nothing"),
        (HEAD + "presses 1p5\npresses 1p5\n", 6, "presses can only stand once, before the first action"),
        (HEAD + "draw 2c 3c\npresses 1p5\n", 6, "presses can only stand once"),
        (HEAD + "draw 2c 3c\nplayer 3 person\n", 6, "seat 3 is not one of the game's seats"),
        (HEAD + "draw 2c 3c\nplayer 2 X\n", 6, "'X' is no kind of player"),
        (HEAD + "draw 2c 3c\nlate 0\n", 6, "'late 0' says nothing"),
        (HEAD + "draw 2c 3c\nresumed twice\n", 6, "'resumed twice' says nothing"),
        (HEAD + "draw 2c 3c\nsaved\n", 6, "'saved' is no action"),
        (HEAD + f"draw 2c 3c\nreveal {DIGEST}\n", 6, "only stand after the result, or after abandoned"),
        (HEAD + "draw 2c 3c\nabandoned\ndraw 2c 3c\n", 7, "nothing can stand after the abandoned"),
        (HEAD + "draw 2c 3c\nabandoned\nreveal 00\n", 7, "'reveal 00' says nothing"),
        (HEAD + f"abandoned\nreveal {DIGEST}\nreveal {DIGEST}\n", 7, "a reveal can only stand after"),
        (HEAD + f"abandoned\nreveal {DIGEST}\nresumed\n", 7, "nothing can stand after the reveal"),
        (f"twentytwo 2\nseats 1 2\n\nabandoned\nreveal {DIGEST}\n", 5, "a reveal needs a commitment"),
        (
            "twentytwo 1\nseats 1 2\nsimulated pack\n",
            3,
            "'simulated' cannot stand here: write rule, player or",
        ),
        ("twentytwo 1\nseats 1 2\ndraw 2c 3c\nlate 3\n", 4, "'late' is no action"),
        ("twentytwo 1\nseats 1 2\ndraw 2c 3c\nplayer 1 steady\n", 4, "'player' is no action"),
        ("twentytwo 1\nseats 1 2\n@5 draw 2c 3c\n", 3, "'@5' cannot stand here"),
    ],
)
def test_refused(text, line, part):
    """What version 2 does not know, or not there, is refused with its line; version 1 knows none of it."""
    with pytest.raises(NotationError) as refused:
        loads(text)
    assert refused.value.line == line
    assert part in str(refused.value)


def test_version_1_can_say_no_more_than_it_could():
    """Stamps, notes, and where the packs come from need version 2."""
    with pytest.raises(ValueError, match="version 1"):
        Header((1, 2), simulated="pack")
    with pytest.raises(ValueError, match="version 1"):
        Record(Header((1, 2)), notes=(Note(0, "resumed"),))
