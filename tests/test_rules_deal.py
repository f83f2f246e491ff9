"""Rules R1 to R8: pack, players and deal."""

from collections import Counter
from random import Random

import pytest
from tables import Suits, by_chance, drawn, hand, letters, played, table

from engine.cards import PACK, RANK_LETTERS, SUITS, Card, points
from engine.game import apply, clockwise, drawing, legal_actions, new_game, undealt, undrawn
from engine.moves import Deal, DealerChosen, Dealt, Draw, Drawn, IllegalMove, Play
from engine.rules import Rules
from engine.state import Phase, State


def deal(state: State) -> State:
    return apply(state, Deal(undealt(state)))[0]


def test_pack() -> None:
    """R1: a pack has 52 cards, four of each rank, from the 2 up to the ace."""
    assert len(set(PACK)) == 52
    assert Counter(card.rank for card in PACK) == dict.fromkeys(range(2, 15), 4)
    assert " ".join(RANK_LETTERS[rank] for rank in sorted(RANK_LETTERS)) == "2 3 4 5 6 7 8 9 10 J Q K A"


def test_suits_never_matter() -> None:
    """R1: two games whose cards differ in suits only offer the same ranks and end alike."""
    state = table({1: "5 5 8 9", 2: "4 5 8 9", 3: "2 2 A A"})
    turned = SUITS[1:] + SUITS[0]
    other = table({1: "5 5 8 9", 2: "4 5 8 9", 3: "2 2 A A"})
    swap = {card: Card(card.rank, turned[SUITS.index(card.suit)]) for card in PACK}

    def swapped(cards: tuple[Card, ...]) -> tuple[Card, ...]:
        return tuple(sorted(swap[card] for card in cards))

    other = State(
        state.rules,
        tuple(type(known)(known.seat, swapped(known.hand), exchanged=0) for known in state.seats),
        Phase.PLAY,
        state.turn,
        state.dealer,
        1,
        tuple(swap[card] for card in state.stock),
    )
    for _ in range(12):
        legal, legal_other = legal_actions(state), legal_actions(other)
        assert [letters(one.cards) for one in legal if isinstance(one, Play)] == [
            letters(one.cards) for one in legal_other if isinstance(one, Play)
        ]
        state, other = apply(state, legal[-1])[0], apply(other, legal_other[-1])[0]  # type: ignore[arg-type]
        if state.phase is not Phase.PLAY:
            break
    assert state.result
    assert other.result
    assert state.result.loser == other.result.loser


@pytest.mark.parametrize("seats", [(1, 2), (3, 6), (1, 3, 5), (1, 2, 3, 4, 5, 6)])
def test_players(seats: tuple[int, ...]) -> None:
    """R1: two to six players may sit at any of the six seats."""
    assert [known.seat for known in new_game(seats).seats] == list(seats)


@pytest.mark.parametrize(
    "seats", [(), (1,), (1, 2, 3, 4, 5, 6, 7), (0, 1), (1, 7), (2, 2), (2, 1), (1, True), ("1", 2)]
)
def test_wrong_players(seats: tuple[int, ...]) -> None:
    """R1: fewer, more, doubled, misplaced or unknown seats are refused by name and value."""
    with pytest.raises(ValueError, match=r"^seats are \(") as refused:
        new_game(seats)
    assert str(seats) in str(refused.value)


def test_points() -> None:
    """R2: 2 to 10 count their number, J, Q and K count 10, A counts 11; a pack counts 380."""
    assert [points(rank) for rank in range(2, 15)] == [2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10, 11]
    assert sum(points(card.rank) for card in PACK) == 380


def test_clockwise_skips_who_is_out() -> None:
    """R3: left of a seat is the next occupied seat clockwise that is still in the game."""
    state = table({2: "5", 5: "6", 6: "7"}, piles={1: "A A", 4: "K Q J"}, dealer=4)
    assert clockwise(state, 4) == (5, 6, 2)
    assert clockwise(state, 6) == (2, 5, 6)
    assert clockwise(state, 1) == (2, 5, 6)


def test_highest_draw_deals() -> None:
    """R4: every player draws a card and the highest deals first."""
    game = new_game((1, 3, 4))
    assert drawing(game) == (1, 3, 4)
    cards = Suits().take("9 K 2")
    state, events = apply(game, Draw(cards))
    assert events == (Drawn(1, cards[0]), Drawn(3, cards[1]), Drawn(4, cards[2]), DealerChosen(3))
    assert (state.phase, state.dealer, drawing(state)) == (Phase.DEAL, 3, ())


def test_tied_draw_again() -> None:
    """R4, decided: those tied for highest, and only they, draw again from the rest of the pack."""
    state = drawn((1, 2, 5, 6), "Q Q 7 Q")
    assert (state.phase, state.dealer, drawing(state)) == (Phase.DRAW, None, (1, 2, 6))
    assert letters(undrawn(state)).split().count("Q") == 1
    state = apply(state, Draw((Card(3, "c"), Card(8, "c"), Card(8, "d"))))[0]
    assert drawing(state) == (2, 6)
    state, events = apply(state, Draw((Card(4, "s"), Card(2, "s"))))
    assert events[-1] == DealerChosen(2)


def test_drawn_cards_go_back() -> None:
    """R4: the cards drawn for first dealer are in the pack again when it is dealt."""
    state = drawn((1, 2), "9 K")
    assert undealt(state) == PACK
    assert all(known.drew == () for known in deal(state).seats)


def test_draw_never_runs_dry() -> None:
    """R4: should tie follow on tie until too few cards are left, all drawn cards go back first."""
    state = new_game((1, 2))
    for _ in range(26):
        assert state.phase is Phase.DRAW
        low = undrawn(state)
        state = apply(state, Draw((low[0], low[1])))[0]
    assert undrawn(state) == PACK
    state = apply(state, Draw((PACK[0], PACK[1])))[0]
    assert len(undrawn(state)) == 50
    assert apply(state, Draw((PACK[2], PACK[51])))[0].dealer == 2


def test_four_tied_with_two_cards_left() -> None:
    """R4: also when some cards are left, but fewer than players who draw, all go back first."""
    state = drawn((1, 2, 3, 4, 5, 6), "3 3 3 3 2 2")
    for rank in range(4, 15):
        assert drawing(state) == (1, 2, 3, 4)
        state = apply(state, Draw(tuple(Card(rank, suit) for suit in SUITS)))[0]
    assert undrawn(state) == PACK


def test_first_hand() -> None:
    """R5: seven cards each in the first deal, one at a time from the dealer's left; the rest is the stock."""
    state, events = apply(drawn((1, 2, 4), "9 K 3"), Deal(PACK))
    assert events == (Dealt(dealer=2, size=7, stock=31),)
    hands = {known.seat: known.hand for known in state.seats}
    assert hands == {4: PACK[0:21:3], 1: PACK[1:21:3], 2: PACK[2:21:3]}
    assert state.stock == PACK[21:]


@pytest.mark.parametrize(("card", "size"), [("2", 2), ("9", 9), ("10", 10), ("J", 10), ("K", 10), ("A", 11)])
def test_loser_deals_by_the_card_kept(card: str, size: int) -> None:
    """R6: who lost the deal deals next, as many cards each as the points of the card that was kept."""
    low = "2" if card == "2" else "3"
    state = played(table({1: low, 2: card}, dealer=1, rules=Rules(limit=42)), low, card)[0]
    assert (state.phase, state.dealer) == (Phase.DEAL, 2)
    state, events = apply(state, Deal(undealt(state)))
    assert events[0] == Dealt(dealer=2, size=size, stock=51 - 2 * size - (0 if card != low else 1))


def test_piles_stay_out_of_the_pack() -> None:
    """R7, decided: kept cards stay out of the pack, those of eliminated players too."""
    state = table({1: "6", 2: "8", 4: "9"}, piles={3: "K K 2", 4: "5 6"}, dealer=3)
    state = played(state, "6", "8", "9")[0]
    pack = undealt(state)
    assert len(pack) == 52 - 3 - 3
    assert Counter(letters(set(PACK) - set(pack)).split()) == Counter(["K", "K", "2", "5", "6", "9"])
    whole = Deal(PACK)
    with pytest.raises(IllegalMove):
        apply(state, whole)


def test_too_few_cards_are_dealt_evenly() -> None:
    """R8: six players whose first deal was lost with a queen: 51 cards in the pack, 8 each, stock 3."""
    state = table({1: "2", 2: "3", 3: "4", 4: "5", 5: "6", 6: "Q"})
    state = played(state, "2", "3", "4", "5", "6", "Q")[0]
    state, events = apply(state, Deal(undealt(state)))
    assert events[0] == Dealt(dealer=6, size=8, stock=3)
    assert [len(known.hand) for known in state.seats] == [8] * 6


def test_first_deal_of_six_with_eleven() -> None:
    """R8: the same holds for a first deal that asks for more than the pack has."""
    state = deal(drawn(range(1, 7), "2 3 4 5 6 7", Rules(first_hand=11)))
    assert [len(known.hand) for known in state.seats] == [8] * 6
    assert len(state.stock) == 4


def test_out_of_the_game_gets_no_cards() -> None:
    """R21, R3: who is out gets no cards, also as dealer; the first card goes to the next seat still in."""
    state = table({1: "2", 3: "3", 4: "K"}, piles={2: "A A", 4: "K 2"})
    state = played(state, "2", "3", "K")[0]
    assert state.dealer == 4
    assert state.seats[state.place(4)].out
    state = deal(state)
    assert (hand(state, 2), hand(state, 4)) == ("", "")
    assert state.seats[state.place(1)].hand[0] == PACK[0]
    assert state.turn == 1


def test_undealt_always_deals() -> None:
    """R5 to R8: through whole games each deal gives every player a card and loses none."""
    chance = Random(7)
    for _ in range(20):
        state = new_game((1, 2, 3, 4, 5, 6), Rules(limit=42))
        while state.phase is not Phase.OVER:
            state, events = apply(state, by_chance(state, chance))
            for event in events:
                if isinstance(event, Dealt):
                    assert event.size >= 1
                    assert event.size * sum(not known.out for known in state.seats) + event.stock == len(
                        PACK
                    ) - sum(len(known.pile) for known in state.seats)
