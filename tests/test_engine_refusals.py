"""Every reason to refuse an action: its words, its rule, and that the state stays as it was."""

import pickle
from collections.abc import Callable
from random import Random
from string import Formatter

import pytest
from tables import by_chance, drawn, own, played, table

from engine.cards import PACK, Card
from engine.game import apply, drawing, legal_actions, new_game, undealt, undrawn
from engine.moves import Action, AnyExchange, Deal, Draw, Exchange, IllegalMove, Play
from engine.refusals import REFUSALS
from engine.rules import Rules
from engine.state import Phase, State

NOBODY = Card(15, "x")
"""A card that no pack has."""

OVER = played(table({1: "3", 2: "K"}, piles={2: "K 2"}), "3", "K")[0]
EXCHANGE = table({1: "2 3 K", 2: "4 5 6", 3: "7 8 9"}, phase=Phase.EXCHANGE, stock="Q A")
LEAD = table({1: "5 5 5", 2: "2 7 8", 3: "9 9 9"}, piles={4: "A A"})
FOLLOW = played(table({1: "6 6 Q Q", 2: "4 5 7 8"}), "6 6")[0]
LOW = played(table({1: "6 6 Q", 2: "4 5 A"}), "6 6")[0]
HEAD = played(table({1: "7 9", 2: "2 A"}, rules=Rules(must_head=True)), "7")[0]
DRAW = new_game((1, 2))
DEAL = drawn((1, 2), "9 K")

CASES: list[tuple[str, str, str, State, Callable[[State], Action]]] = [
    ("game-over", "R22", "The game is over.", OVER, lambda state: Play(1, ())),
    (
        "waits-for-draw",
        "R4",
        "Not now: first everybody draws a card for first dealer.",
        DRAW,
        lambda state: Deal(PACK),
    ),
    ("waits-for-deal", "R5", "Not now: first the cards are dealt.", DEAL, lambda state: Play(1, ())),
    (
        "waits-for-exchange",
        "R9",
        "Not now: first everybody may exchange cards.",
        EXCHANGE,
        lambda state: Play(1, own(state, 1, "2")),
    ),
    (
        "waits-for-play",
        "R12",
        "Not now: the exchange is over, cards are being played.",
        LEAD,
        lambda state: Exchange(1, ()),
    ),
    ("no-such-seat", "R1", "Nobody sits at seat 6 in this game.", LEAD, lambda state: Play(6, ())),
    ("out", "R21", "You are out of the game.", LEAD, lambda state: Play(4, ())),
    (
        "not-your-turn",
        "R13",
        "Wait: it is the turn of seat 1.",
        LEAD,
        lambda state: Play(2, own(state, 2, "7")),
    ),
    ("not-your-turn", "R9", "Wait: it is the turn of seat 1.", EXCHANGE, lambda state: Exchange(3, ())),
    (
        "exchange-had",
        "R9",
        "You have had your exchange in this deal.",
        apply(EXCHANGE, Exchange(1, ()))[0],
        lambda state: Exchange(1, ()),
    ),
    (
        "card-twice",
        "R13",
        "The same card cannot be chosen twice: 5c.",
        LEAD,
        lambda state: Play(1, own(state, 1, "5") * 2),
    ),
    (
        "not-your-cards",
        "R13",
        "You do not hold these cards: 9c.",
        LEAD,
        lambda state: Play(1, own(state, 3, "9")),
    ),
    (
        "not-your-cards",
        "R9",
        "You do not hold these cards: 4c.",
        EXCHANGE,
        lambda state: Exchange(1, own(state, 2, "4")),
    ),
    (
        "too-many",
        "R9",
        "The stock has 2: you cannot exchange more than that.",
        EXCHANGE,
        lambda state: Exchange(1, own(state, 1, "2 3 K")),
    ),
    (
        "no-cards",
        "R13",
        "Choose the cards to lead: one, or some of one rank.",
        LEAD,
        lambda state: Play(1, ()),
    ),
    (
        "one-rank",
        "R13",
        "Lead one card, or cards of one rank.",
        table({1: "7 8", 2: "5 6"}),
        lambda state: Play(1, own(state, 1, "7 8")),
    ),
    (
        "leave-one",
        "R14",
        "Keep at least one card for the final trick.",
        LEAD,
        lambda state: Play(1, own(state, 1, "5 5 5")),
    ),
    (
        "wrong-count",
        "R15",
        "Play as many cards as were led: 2.",
        FOLLOW,
        lambda state: Play(2, own(state, 2, "8")),
    ),
    (
        "head-or-lowest",
        "R15",
        "Match or beat 6 6, or play your lowest: 4 5.",
        FOLLOW,
        lambda state: Play(2, own(state, 2, "5 8")),
    ),
    (
        "only-lowest",
        "R15",
        "You cannot match or beat 6 6: play your lowest, 4 5.",
        LOW,
        lambda state: Play(2, own(state, 2, "5 A")),
    ),
    (
        "must-head",
        "H1",
        "You can match or beat 7, so you have to.",
        HEAD,
        lambda state: Play(2, own(state, 2, "2")),
    ),
    ("draw-count", "R4", "Cards to draw, one each: 2.", DRAW, lambda state: Draw(PACK[:3])),
    ("draw-cards", "R4", "These cards cannot be drawn now: 2c 2c.", DRAW, lambda state: Draw(PACK[:1] * 2)),
    (
        "wrong-pack",
        "R7",
        "This is not the pack to deal. Missing: As. Too many: -.",
        DEAL,
        lambda state: Deal(PACK[:-1]),
    ),
    (
        "wrong-pack",
        "R7",
        "This is not the pack to deal. Missing: As. Too many: 2c 2c.",
        DEAL,
        lambda state: Deal((*PACK[:-1], PACK[0])),
    ),
]


@pytest.mark.parametrize(("reason", "rule", "message", "state", "action"), CASES)
def test_refusal(
    reason: str, rule: str, message: str, state: State, action: Callable[[State], Action]
) -> None:
    """Each refusal has its rule, its reason and a sentence for players; the state stays as it was."""
    before = pickle.dumps(state)
    with pytest.raises(IllegalMove) as refused:
        apply(state, action(state))
    assert (refused.value.reason, refused.value.rule, str(refused.value)) == (reason, rule, message)
    assert pickle.dumps(state) == before


def test_every_reason_is_tried() -> None:
    """The cases above cover all reasons there are."""
    assert {reason for reason, *_ in CASES} == set(REFUSALS)


@pytest.mark.parametrize(("reason", "rule", "message", "state", "action"), CASES)
def test_details_fill_the_sentence(
    reason: str, rule: str, message: str, state: State, action: Callable[[State], Action]
) -> None:
    """A refusal's details are exactly the names in its sentence, so that any language can say it anew."""
    with pytest.raises(IllegalMove) as refused:
        apply(state, action(state))
    names = {name for _, name, _, _ in Formatter().parse(REFUSALS[reason]) if name}
    assert set(refused.value.details) == names


def test_no_action_at_all() -> None:
    """Something that is no action is a TypeError, for no player can have meant it."""
    with pytest.raises(TypeError, match="no action"):
        apply(DRAW, AnyExchange(1, 2))  # type: ignore[arg-type]


def foreign(state: State, chance: Random) -> list[Action]:
    """Actions that are wrong in this state, whatever it is: of others, of a wrong kind, with wrong cards."""
    wrong: list[Action] = [Play(9, PACK[:1]), Exchange(0, ()), Draw(()), Deal(()), Deal((*PACK, PACK[0]))]
    wrong += [Draw(PACK), Deal((*PACK[:-1], NOBODY))]
    for known in state.seats:
        if known.seat != state.turn:
            wrong += [
                Play(known.seat, known.hand[:1]),
                Exchange(known.seat, known.hand[:1]),
                Exchange(known.seat, ()),
            ]
    if state.turn is None:
        if state.phase is Phase.DRAW:
            rest = undrawn(state)
            wrong += [Draw(rest[:1] * len(drawing(state))), Draw((NOBODY, *rest)[: len(drawing(state))])]
        if state.phase is Phase.DEAL:
            pack = undealt(state)
            wrong += [
                Deal(pack[1:]),
                Deal((*pack[1:], pack[1])),
                Deal((NOBODY, *pack[1:])),
                Deal((*pack, NOBODY)),
            ]
        return wrong
    hand = state.seats[state.place(state.turn)].hand
    others = [card for card in PACK if card not in hand]
    wrong += [Play(state.turn, (chance.choice(others),)), Play(state.turn, (NOBODY,)), Play(state.turn, ())]
    wrong += [Play(state.turn, (*hand, *hand)), Exchange(state.turn, (chance.choice(others),))]
    wrong += [Exchange(state.turn, (hand[0], hand[0])), Deal(undealt(state))]
    if state.phase is Phase.PLAY:
        legal = {
            tuple(card.rank for card in one.cards) for one in legal_actions(state) if isinstance(one, Play)
        }
        for _ in range(10):
            cards = tuple(sorted(chance.sample(hand, chance.randint(1, len(hand)))))
            if tuple(card.rank for card in cards) not in legal:
                wrong.append(Play(state.turn, cards))
        wrong.append(Exchange(state.turn, hand[:1]))
    else:
        wrong += [Play(state.turn, hand[:1]), Exchange(state.turn, (*hand, *others)[: len(state.stock) + 1])]
        if len(state.stock) < len(hand):
            wrong.append(Exchange(state.turn, hand[: len(state.stock) + 1]))
    return wrong


@pytest.mark.parametrize("seed", range(10))
def test_foreign_and_malformed_actions(seed: int) -> None:
    """In every state of whole games foreign and malformed actions are refused; the state stays as it was."""
    chance = Random(seed)
    rules = Rules(must_head=seed % 2 == 0, piles_return=seed % 3 == 0)
    state = new_game(range(1, 2 + seed % 5 + 1), rules)
    while True:
        before = pickle.dumps(state)
        for action in foreign(state, chance):
            with pytest.raises(IllegalMove) as refused:
                apply(state, action)
            assert refused.value.reason in REFUSALS
            assert refused.value.rule
        assert pickle.dumps(state) == before
        if state.phase is Phase.OVER:
            break
        state = apply(state, by_chance(state, chance))[0]


def test_refusals_name_no_card_of_another_hand() -> None:
    """What is refused to one seat tells it nothing about what another holds."""
    other = table({1: "6 6 Q Q", 2: "4 5 7 8"}, stock="2 2")
    state = played(other, "6 6")[0]
    hidden = set(state.seats[0].hand)
    for card in PACK:
        with pytest.raises(IllegalMove) as refused:
            apply(state, Play(2, (card,)))
        named = {one for value in refused.value.details.values() if isinstance(value, tuple) for one in value}
        assert named <= ({card} | set(state.seats[1].hand))
        assert not named & (hidden - {card})
