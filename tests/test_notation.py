"""The game record: round trips, and what it refuses."""

from functools import cache
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import by_chance

from engine.cards import PACK, Card, NotationError, card, cards
from engine.game import apply, new_game
from engine.moves import Deal, Draw, Exchange, IllegalMove, Play
from engine.notation import (
    Header,
    IllegalLine,
    Player,
    Record,
    action_line,
    dumps,
    header_text,
    loads,
    parse_action,
    read_header,
    replay,
    result_line,
)
from engine.rules import Rules
from engine.state import Phase, State

EXAMPLE = """\
twentytwo 1
seats 2 5
rule limit 5
rule must-head on
rule first-hand 2
player 2 person Ŵendy Ó # Hara
player 5 steady

# the draw for first dealer
draw 9h Kc
deal {pack}
exchange 2 2c
exchange 5
play 2 3c
play 5 2d
play 2 2h
play 5 2s
result won 2 5 points 2 2
""".format(pack=" ".join(map(str, PACK)))

seeds = st.integers(0, 2**32)


def fault(text: str) -> NotationError | IllegalLine | None:
    """Why a record is refused; nothing if it is not. Anything else that is raised goes through."""
    try:
        loads(text)
    except (NotationError, IllegalLine) as refused:
        return refused
    return None


@cache
def game_of(seed: int, whole: bool) -> tuple[Record, State]:
    """A game by chance with any rules and players, to its end or to anywhere before."""
    chance = Random(seed)
    rules = Rules(
        must_head=chance.random() < 0.5,
        limit=chance.randint(2, 42),
        first_hand=chance.randint(2, 11),
        last_tied_only=chance.random() < 0.5,
        piles_return=chance.random() < 0.5,
    )
    seats = tuple(sorted(chance.sample(range(1, 7), chance.randint(2, 4))))
    told = chance.sample(seats, chance.randint(0, len(seats)))
    players = tuple(Player(seat, chance.choice(["person", "steady", "bot-2"])) for seat in told)
    state = new_game(seats, rules)
    actions = []
    for _ in range(10_000 if whole else chance.randrange(60)):
        if state.phase is Phase.OVER:
            break
        action = by_chance(state, chance)
        actions.append(action)
        state = apply(state, action)[0]
    return Record(Header(seats, rules, players), tuple(actions), ended=state.phase is Phase.OVER), state


@settings(max_examples=60, deadline=None)
@given(seed=seeds, whole=st.booleans())
def test_round_trip(seed: int, whole: bool) -> None:
    """A game written and read again is equal, and replays to the same state; unfinished ones too."""
    record, state = game_of(seed, whole)
    text = dumps(record)
    assert loads(text) == record
    assert dumps(loads(text)) == text
    steps = list(replay(text))
    assert [step.action for step in steps] == list(record.actions)
    if steps:
        assert steps[-1].state == state


@settings(max_examples=60, deadline=None)
@given(seed=seeds)
def test_lines_one_by_one(seed: int) -> None:
    """A record grown line by line is, after each line, a valid record of the game so far."""
    record, _ = game_of(seed, whole=False)
    text = header_text(record.header)
    assert loads(text) == Record(record.header)
    state = new_game(record.header.seats, record.header.rules)
    for done, action in enumerate(record.actions, 1):
        text += action_line(action) + "\n"
        state = apply(state, action)[0]
        if done % 16 == 0:
            assert loads(text).actions == record.actions[:done]
    if state.phase is Phase.OVER:
        text += result_line(state) + "\n"
    assert loads(text) == record


@settings(deadline=None)
@given(
    shown=st.lists(st.sampled_from(PACK), unique=True, max_size=52).map(tuple),
    seat=st.integers(1, 6),
    made=st.sampled_from(["draw", "deal", "exchange", "play"]),
)
def test_actions_round_trip(shown: tuple[Card, ...], seat: int, made: str) -> None:
    """Any action written as a line and read again is the same action, its cards in the same order."""
    action = {
        "draw": Draw(shown),
        "deal": Deal(shown),
        "exchange": Exchange(seat, shown),
        "play": Play(seat, shown),
    }[made]
    line = action_line(action)
    assert "\n" not in line
    assert parse_action(line) == action
    assert parse_action(f"  {line}  ") == action


@settings(deadline=None)
@given(name=st.text(max_size=30), kind=st.text(max_size=12))
def test_players_round_trip(name: str, kind: str) -> None:
    """Every player that can be made can be written and read again, whatever the name."""
    try:
        player = Player(3, kind, name)
    except ValueError:
        player = Player(3, "person", "".join(filter(str.isprintable, name)).strip())
    header = Header((3, 4), players=(player,))
    assert read_header(header_text(header)) == header


def test_lines_as_documented() -> None:
    """The forms of the lines are those of docs/record.md."""
    assert action_line(Draw(cards("9h Kc"))) == "draw 9h Kc"
    assert action_line(Deal(cards("10s 2c"))) == "deal 10s 2c"
    assert action_line(Exchange(3, ())) == "exchange 3"
    assert action_line(Exchange(3, cards("5c 9h"))) == "exchange 3 5c 9h"
    assert action_line(Play(6, cards("7c 7h"))) == "play 6 7c 7h"


def test_example() -> None:
    """A record with everything in it is read as written; comments are skipped."""
    text = EXAMPLE.replace("result won 2 5 points 2 2\n", "")
    steps = list(replay(text))
    assert steps[-1].state.phase is Phase.DEAL
    record = loads(text)
    assert record.header.rules == Rules(must_head=True, limit=5, first_hand=2)
    assert record.header.players == (Player(2, "person", "Ŵendy Ó # Hara"), Player(5, "steady"))
    assert not record.ended
    assert [step.line for step in steps[:2]] == [10, 11]


def test_documented_example() -> None:
    """The example of docs/record.md, its pack written out, is a valid record of a game not yet over."""
    page = (Path(__file__).parents[1] / "docs" / "record.md").read_text(encoding="utf-8")
    text = page.split("```")[1].lstrip("\n")
    start = text.index("deal ")
    end = text.index("\n", start)
    steps = list(replay(text[:start] + action_line(Deal(PACK)) + text[end:]))
    assert steps[-1].state.phase is Phase.DEAL
    assert steps[-1].state.dealer == 5


def test_defaults_are_not_written() -> None:
    """A header names only house rules that were chosen; naming a default is read as well."""
    assert header_text(Header((1, 2))) == "twentytwo 1\nseats 1 2\n\n"
    assert read_header("twentytwo 1\nseats 1 2\nrule limit 22\nrule must-head off\n") == Header((1, 2))


def test_line_ends() -> None:
    """Lines may end as on any system, and the last needs no end."""
    record, _ = game_of(5, whole=True)
    text = dumps(record)
    assert loads(text.replace("\n", "\r\n")) == record
    assert loads(text.rstrip("\n")) == record


HEAD = "twentytwo 1\nseats 1 2\n"


@pytest.mark.parametrize(
    ("text", "line", "part"),
    [
        ("", 1, "this is no record: the first line must be 'twentytwo 1'"),
        ("hello\n", 1, "this is no record"),
        ("seats 1 2\ntwentytwo 1\n", 1, "this is no record"),
        (
            "\n\ntwentytwo 3\nseats 1 2\n",
            3,
            "version '3' is not known: the first line must be 'twentytwo 1' or",
        ),
        ("twentytwo\n", 1, "version '' is not known"),
        ("twentytwo 1.0\n", 1, "version '1.0' is not known"),
        ("twentytwo 1\n", 1, "the line with the seats is missing"),
        ("twentytwo 1\ndraw 2c 3c\n", 2, "the line with the seats is missing"),
        ("twentytwo 1\nrule limit 5\nseats 1 2\n", 2, "'rule' cannot stand here"),
        ("twentytwo 1\nseats 2 1\n", 2, "each must be higher"),
        ("twentytwo 1\nseats 1\n", 2, "2 to 6 players"),
        ("twentytwo 1\nseats 1 7\n", 2, "'7' is no seat: write a number from 1 to 6"),
        (HEAD + "seats 1 2\n", 3, "'seats' cannot stand here"),
        (HEAD + "commitment 12ab\n", 3, "'commitment' cannot stand here: write rule, player or an action"),
        (HEAD + "rule no-such on\n", 3, "'no-such' is no house rule: write one of must-head, limit"),
        (HEAD + "rule must_head on\n", 3, "is no house rule"),
        (HEAD + "rule limit\n", 3, "limit is '': write a whole number"),
        (HEAD + "rule limit 22.0\n", 3, "limit is '22.0': write a whole number"),
        (HEAD + "rule limit 43\n", 3, "limit is 43: it must be a whole number from 2 to 42"),
        (HEAD + "rule must-head yes\n", 3, "must-head is 'yes': write on or off"),
        (HEAD + "rule limit 5\nrule limit 5\n", 4, "the house rule limit stands twice"),
        (HEAD + "player 3 person\n", 3, "seat 3 is not one of the seats 1 2"),
        (HEAD + "player 1 person\nplayer 1 steady\n", 4, "two players sit at seat 1"),
        (HEAD + "player 1\n", 3, "'' is no kind of player"),
        (HEAD + "player 1 Person\n", 3, "'Person' is no kind of player"),
        (HEAD + "player 1 person a\x07b\n", 3, "is no name"),
        (HEAD + "draw 2c 3c\nrule limit 5\n", 4, "'rule' is no action"),
        (HEAD + "draw 2c 1c\n", 3, "'1c' is not a card: write a rank (2 to 10, J, Q, K, A) and a suit"),
        (HEAD + "draw 2c 2c\n", 3, "a card stands twice"),
        (HEAD + "draw 2c 3x\n", 3, "'3x' is not a card"),
        (HEAD + "draw 2C 3c\n", 3, "'2C' is not a card"),
        (HEAD + "draw 2c 3c # why\n", 3, "'#' is not a card"),
        (HEAD + "draws 2c 3c\n", 3, "'draws' cannot stand here"),
        (HEAD + "draw 2c 3c\nshuffle\n", 4, "'shuffle' is no action: write draw, deal, exchange or play"),
        (HEAD + "draw 2c 3c\nplay\n", 4, "'' is no seat"),
        (HEAD + "draw 2c 3c\nplay 0 2c\n", 4, "'0' is no seat"),
        (HEAD + "draw 2c 3c\nresult\n", 4, "'result' is no action"),
    ],
)
def test_refused(text: str, line: int, part: str) -> None:
    """What a record does not know, or not in that place, is refused with its line and what to write."""
    with pytest.raises(NotationError) as refused:
        loads(text)
    assert refused.value.line == line
    assert str(refused.value).startswith(f"line {line}: ")
    assert part in str(refused.value)


def test_illegal_action_names_its_line() -> None:
    """An action that the rules refuse is refused with its line, rule and reason."""
    with pytest.raises(IllegalLine) as refused:
        loads(HEAD + "\n# comment\ndraw 2c 3c 4c\n")
    assert (refused.value.line, refused.value.rule, refused.value.reason) == (5, "R4", "draw-count")
    assert str(refused.value) == "line 5: Cards to draw, one each: 2."


def test_steps_before_the_fault_are_given() -> None:
    """A record is checked as it is reached: the actions before a fault are replayed."""
    steps = replay(EXAMPLE)
    assert [next(steps).line for _ in range(8)] == [10, 11, 12, 13, 14, 15, 16, 17]
    with pytest.raises(IllegalLine, match="line 18: the game is not over here"):
        next(steps)


def test_result_is_checked() -> None:
    """A result before the end, a result that is not the game's, and anything after it are refused."""
    record, state = game_of(11, whole=True)
    text = dumps(record)
    assert text.endswith(result_line(state) + "\n")
    with pytest.raises(IllegalLine, match="the game is not over here") as refused:
        loads(EXAMPLE)
    assert (refused.value.line, refused.value.reason) == (18, "wrong-result")
    wrong = text.replace("points ", "points 1")
    with pytest.raises(IllegalLine, match="the game played gives"):
        loads(wrong)
    with pytest.raises(NotationError, match="nothing can stand after the result"):
        loads(text + "draw 2c\n")
    assert loads(text + "\n# a comment\n\n") == record


def corrupted(line: str, chance: Random) -> str:
    """A line with one thing changed that makes it another line, its meaning included."""
    words = line.split()
    kind = chance.randrange(5)
    at = chance.randrange(len(words))
    if kind == 0:
        words[at] = "x" + words[at]
    elif kind == 1:
        words.append("2c" if words[-1] != "2c" else "3c")
    elif kind == 2 and len(words) > 1:
        del words[-1]
    elif kind == 3:
        words[0] = chance.choice(
            [word for word in ("draw", "deal", "exchange", "play", "seats") if word != words[0]]
        )
    else:
        words.insert(at, words[at])
    return " ".join(words)


@settings(max_examples=150, deadline=None)
@given(seed=seeds)
def test_corrupt_lines(seed: int) -> None:
    """A record with any one line corrupted is refused by line, or is another game that the rules allow."""
    chance = Random(seed)
    record, _ = game_of(chance.randrange(50), whole=True)
    lines = dumps(record).split("\n")
    at = chance.choice([place for place, line in enumerate(lines) if line])
    lines[at] = corrupted(lines[at], chance)
    refused = fault("\n".join(lines))
    if refused is None:
        assert loads("\n".join(lines)) != record
    else:
        assert str(refused).startswith(f"line {refused.line}: ")


@settings(max_examples=200, deadline=None)
@given(seed=seeds, junk=st.text(max_size=40))
def test_junk_never_breaks_the_reader(seed: int, junk: str) -> None:
    """Any text put anywhere into a record is read or refused by line; nothing else is ever raised."""
    chance = Random(seed)
    text = dumps(game_of(chance.randrange(20), whole=False)[0])
    at = chance.randrange(len(text) + 1)
    refused = fault(text[:at] + junk + text[at:])
    assert refused is None or refused.line


def test_lost_lines_are_noticed() -> None:
    """Take any one action out of a whole game: the record is refused, or ends in another state."""
    record, state = game_of(3, whole=True)
    lines = dumps(record).rstrip("\n").split("\n")
    first = lines.index("") + 1
    for at in range(first, len(lines) - 1, 5):
        assert fault("\n".join(lines[:at] + lines[at + 1 :])), f"line {at + 1} is not missed"
    assert state.phase is Phase.OVER


@pytest.mark.parametrize("text", ["", "h", "10", "1h", "11h", "ah", "Ah ", "hA", "10 h", "Th", "Aé", "2cc"])
def test_no_card(text: str) -> None:
    """A card is written in one way only: rank then suit."""
    with pytest.raises(NotationError, match="is not a card"):
        card(text)


def test_every_card_round_trips() -> None:
    """Each of the 52 cards is read as it is written."""
    assert tuple(card(str(one)) for one in PACK) == PACK


def test_dumps_refuses_what_is_illegal() -> None:
    """A record with an illegal action cannot be written."""
    with pytest.raises(IllegalMove):
        dumps(Record(Header((1, 2)), (Deal(PACK),)))


@pytest.mark.parametrize(
    ("players", "part"),
    [((Player(4, "person"),), "seat 4 is not one of"), ((Player(1, "a"), Player(1, "b")), "two players sit")],
)
def test_header_of_wrong_players(players: tuple[Player, ...], part: str) -> None:
    """A header with a player at no seat, or two at one, is refused."""
    with pytest.raises(ValueError, match=part):
        Header((1, 2), players=players)
