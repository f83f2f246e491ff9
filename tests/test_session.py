"""The table's program: sitting down, playing, leaving, and the next game, through button edges alone."""

import random
from dataclasses import replace

import pytest
from table_rig import Rig

from engine.bots import BOTS
from engine.moves import Deal, Draw, Exchange, Play
from engine.rules import Rules
from engine.views import Phase
from firmware.chance import Shuffler
from firmware.table.controls import HOLD_S
from firmware.table.scenes import LobbyScene, Sitter
from firmware.table.session import GUARD_S, Session
from hardware.seat import Button


def sitters(rig):
    """Who sits where, as the lobby shows it."""
    scene = rig.scene(1)
    assert isinstance(scene, LobbyScene)
    return dict(scene.sitters)


def reason(rig, seat):
    """The reason of the seat's notice, or None."""
    notice = rig.scene(seat).notice
    return notice and notice.reason


# Sitting down


def test_any_button_sits_down_and_mark_stands_up():
    """The first press of a seat sits its player down; MARK stands up again."""
    rig = Rig()
    for seat, button in zip((1, 2, 3), (Button.LEFT, Button.MARK, Button.PLAY), strict=True):
        rig.press(seat, button)
    assert set(sitters(rig).values()) == {Sitter.PLAYER}
    rig.press(2, Button.MARK)
    assert sitters(rig)[2] is Sitter.NOBODY


def test_one_player_cannot_start():
    """PLAY starts a game once two sit (R1), and says so before."""
    rig = Rig()
    rig.press(1, Button.LEFT)
    rig.press(1, Button.PLAY)
    assert reason(rig, 1) == "two-needed"
    assert rig.session.state is None


def test_right_adds_bots_and_left_takes_them_away():
    """Bots fill empty seats, one a press; a person who sits down at a bot's seat takes its place."""
    rig = Rig()
    rig.press(2, Button.LEFT)
    rig.press(2, Button.RIGHT)
    assert sitters(rig) == {1: Sitter.BOT, 2: Sitter.PLAYER, 3: Sitter.NOBODY}
    rig.press(2, Button.RIGHT)
    rig.press(2, Button.RIGHT)
    assert reason(rig, 2) == "no-seat-free"
    rig.press(2, Button.LEFT)
    assert sitters(rig)[3] is Sitter.NOBODY
    rig.press(1, Button.PLAY)
    assert sitters(rig)[1] is Sitter.PLAYER


def test_a_double_press_sits_down_but_does_not_start():
    """A second press 30 to 400 ms after the one that sat down is not a start."""
    for gap in (0.03, 0.2, 0.39):
        rig = Rig()
        rig.press(1, Button.LEFT)
        rig.press(2, Button.PLAY, stroke_s=0.01, rest_s=gap)
        rig.press(2, Button.PLAY, stroke_s=0.01)
        assert rig.session.state is None


def test_play_starts_the_game_with_those_who_sit():
    """The game has the seats of players and bots, no others, and everybody has drawn a card (R4)."""
    rig = Rig((1, 2, 3, 4))
    rig.sit_and_start(2, 4)
    seen = rig.view(2)
    assert [known.seat for known in seen.seats] == [2, 4]
    assert all(known.drew for known in seen.seats)
    assert seen.phase is Phase.DEAL


def test_settings_that_cannot_be_are_refused():
    """A bot needs some time to think, so that a table of bots alone does not run for ever in one step."""
    with pytest.raises(ValueError, match="bot_delay_s"):
        Session((1, 2), chance=Shuffler(1), bots={}, bot_delay_s=0)


# Playing


def test_only_the_dealer_deals():
    """The dealer's PLAY deals (R4); another player's is answered with a notice."""
    rig = Rig()
    rig.sit_and_start(1, 2)
    dealer = rig.session.state.dealer
    rig.press(3 - dealer, Button.PLAY)
    assert reason(rig, 3 - dealer) == "dealer-deals"
    rig.press(dealer, Button.PLAY)
    assert rig.session.state.phase is Phase.EXCHANGE


def test_an_illegal_choice_says_why_and_changes_nothing():
    """The notice names the reason; the state stays; the next press takes the notice away."""
    rig = Rig()
    rig.sit_and_start(1, 2)
    rig.play_to(Phase.PLAY)
    before = rig.session.state
    seat = before.turn
    hand = rig.view(seat).hand
    rig.mark(seat, (hand[0], hand[-1]))
    rig.press(seat, Button.PLAY)
    assert reason(rig, seat) == "one-rank"
    assert rig.session.state is before
    rig.press(seat, Button.LEFT)
    assert reason(rig, seat) is None


def test_a_notice_goes_by_itself():
    """It does not cover the screen for longer than six seconds."""
    rig = Rig()
    rig.press(1, Button.LEFT)
    rig.press(1, Button.PLAY)
    assert reason(rig, 1)
    rig.wait(6.0)
    assert reason(rig, 1) is None


def test_playing_out_of_turn_is_refused_and_planning_ahead_is_not():
    """A player who waits may move the cursor and mark cards; PLAY says whose turn it is."""
    rig = Rig()
    rig.sit_and_start(1, 2)
    rig.play_to(Phase.PLAY)
    waiting = 3 - rig.session.state.turn
    rig.press(waiting, Button.MARK)
    assert len(rig.scene(waiting).picking.marked) == 1
    rig.press(waiting, Button.PLAY)
    assert reason(rig, waiting) == "not-your-turn"


def test_a_notice_to_wait_goes_when_the_turn_comes():
    """Who pressed too early sees what to do as soon as the turn has come, not the old notice."""
    rig = Rig()
    rig.sit_and_start(1, 2)
    rig.play_to(Phase.EXCHANGE)
    waiting = 3 - rig.session.state.turn
    rig.press(waiting, Button.PLAY)
    assert reason(rig, waiting) == "not-your-turn"
    rig.move_on()
    assert rig.session.state.turn == waiting
    assert reason(rig, waiting) is None


def test_a_taken_trick_is_shown_until_a_press_or_the_next_lead():
    """All see a whole trick for a while; a press shows the own hand again, and PLAY does no more then."""
    rig = Rig()
    rig.sit_and_start(1, 2)
    rig.play_to(Phase.PLAY)
    first = rig.session.state.turn
    while not rig.session.state.tricks:
        rig.press(rig.session.state.turn, Button.LEFT)
        hand = rig.view(rig.session.state.turn).hand
        rig.mark(rig.session.state.turn, hand[:1])
        rig.press(rig.session.state.turn, Button.PLAY, rest_s=0.0)
    leader = rig.session.state.turn
    assert rig.scene(1).looks
    assert rig.scene(2).looks
    before = rig.session.state
    rig.wait(GUARD_S)
    rig.press(leader, Button.PLAY, rest_s=0.1)
    assert rig.session.state is before
    assert not rig.scene(leader).looks
    assert rig.scene(3 - leader).looks
    rig.wait(2.5)
    assert not rig.scene(3 - leader).looks
    assert first in (1, 2)


def test_a_lead_ends_the_look_at_the_trick_before():
    """As soon as the next card is led, everybody sees the own hand."""
    rig = Rig()
    rig.sit_and_start(1, 2)
    rig.play_to(Phase.PLAY)
    while not rig.session.state.tricks:
        hand = rig.view(rig.session.state.turn).hand
        rig.mark(rig.session.state.turn, hand[:1])
        rig.press(rig.session.state.turn, Button.PLAY, rest_s=0.1)
    leader = rig.session.state.turn
    rig.press(leader, Button.LEFT)
    rig.press(leader, Button.PLAY, rest_s=0.0)
    assert rig.session.state.trick
    assert not rig.scene(3 - leader).looks


def test_marks_of_the_exchange_are_gone_when_play_begins():
    """What was marked to be given away is not marked to be played, whether the exchange came or passed."""
    rig = Rig()
    rig.sit_and_start(1, 2)
    rig.play_to(Phase.EXCHANGE)
    second = 3 - rig.session.state.turn
    rig.press(rig.session.state.turn, Button.PLAY)
    rig.press(3 - second, Button.MARK)
    assert rig.scene(3 - second).picking.marked
    rig.press(second, Button.PLAY)
    assert rig.session.state.phase is Phase.PLAY
    assert not rig.scene(3 - second).picking.marked


def test_marks_do_not_wait_for_a_player_who_left():
    """Who comes back to a seat finds no marks of before."""
    rig = Rig()
    rig.sit_and_start(1, 2)
    rig.play_to(Phase.PLAY)
    waiting = 3 - rig.session.state.turn
    rig.press(waiting, Button.MARK)
    rig.press(waiting, Button.PLAY, stroke_s=HOLD_S)
    rig.press(waiting, Button.MARK)
    rig.press(waiting, Button.PLAY, stroke_s=HOLD_S)
    assert rig.scene(waiting).sitter is Sitter.PLAYER
    assert not rig.scene(waiting).picking.marked


def test_notices_go_when_what_they_speak_of_has_changed():
    """A notice does not stay when somebody has sat down, stood up, started or dealt meanwhile."""
    rig = Rig()
    rig.press(1, Button.LEFT)
    rig.press(1, Button.PLAY)
    assert reason(rig, 1) == "two-needed"
    rig.press(2, Button.LEFT)
    assert reason(rig, 1) is None
    rig.press(3, Button.LEFT)
    rig.press(2, Button.RIGHT)
    assert reason(rig, 2) == "no-seat-free"
    rig.press(1, Button.PLAY)
    assert reason(rig, 2) is None
    dealer = rig.session.state.dealer
    other = dealer % 3 + 1
    rig.press(other, Button.PLAY)
    assert reason(rig, other) == "dealer-deals"
    rig.press(dealer, Button.PLAY)
    assert reason(rig, other) is None


@pytest.mark.parametrize("gap", [0.03, 0.1, 0.2, 0.3, 0.38])
def test_a_double_press_acts_once(gap):
    """Two presses 30 to 400 ms apart are one action, and nothing is carried into the next prompt."""
    rig = Rig()
    rig.sit_and_start(1, 2)
    rig.play_to(Phase.PLAY)
    while True:  # until somebody who will lead next is about to play the last card of a trick
        state = rig.session.state
        if state.trick and len(rig.view(state.turn).hand) > 1:
            break
        rig.move_on()
    seat = state.turn
    best = [
        choice for choice in rig.view(seat).choices if choice.cards[0].rank >= state.trick[-1].cards[0].rank
    ]
    assert best, "this seed gives no such trick: take another"
    rig.mark(seat, best[-1].cards)
    rig.press(seat, Button.PLAY, stroke_s=0.01, rest_s=gap - 0.01)
    assert rig.session.state.turn == seat
    after = rig.session.state
    rig.press(seat, Button.PLAY, stroke_s=0.01)
    assert rig.session.state is after


def test_a_press_that_began_before_the_prompt_does_nothing():
    """PLAY held down while the turn comes round, and let go then, is not a play."""
    rig = Rig()
    rig.sit_and_start(1, 2)
    rig.play_to(Phase.EXCHANGE)
    first, second = rig.session.state.turn, 3 - rig.session.state.turn
    rig.down(first, Button.PLAY)
    rig.wait(0.1)
    rig.down(second, Button.PLAY)
    rig.wait(0.1)
    rig.up(first, Button.PLAY)
    assert rig.session.state.turn == second
    rig.wait(GUARD_S)
    rig.up(second, Button.PLAY)
    assert rig.session.state.phase is Phase.EXCHANGE


def test_those_whose_exchange_passed_are_told():
    """When the stock is empty a player's exchange passes by itself (R11), with a notice."""
    rig = Rig((1, 2, 3, 4, 5, 6), rules=Rules(first_hand=8))
    rig.sit_and_start(1, 2, 3, 4, 5, 6)
    rig.play_to(Phase.EXCHANGE)
    seat = rig.session.state.turn
    rig.mark(seat, rig.view(seat).hand[:4])
    rig.press(seat, Button.PLAY, rest_s=0.0)
    assert rig.session.state.phase is Phase.PLAY
    told = {other for other in range(1, 7) if reason(rig, other) == "no-exchange"}
    assert told == set(range(1, 7)) - {seat}


def test_the_lamp_is_lit_for_whoever_must_act():
    """One lamp at a time: the dealer's before a deal, then that of the seat whose turn it is."""
    rig = Rig()
    assert not any(rig.session.lamp(seat) for seat in (1, 2, 3))
    rig.sit_and_start(1, 2, 3)
    while rig.session.state.phase is not Phase.OVER:
        state = rig.session.state
        awaited = state.dealer if state.phase is Phase.DEAL else state.turn
        assert [seat for seat in (1, 2, 3) if rig.session.lamp(seat)] == [awaited]
        rig.move_on()


def test_after_a_game_play_starts_the_next_and_mark_goes_to_the_lobby():
    """Those who sit play on; an empty seat may join for the next game by any press."""
    rig = Rig(rules=Rules(limit=5))
    rig.sit_and_start(1, 2)
    rig.play_to(Phase.OVER)
    rig.press(3, Button.LEFT)
    rig.press(1, Button.PLAY)
    assert [known.seat for known in rig.view(1).seats] == [1, 2, 3]
    rig.play_to(Phase.OVER)
    rig.press(2, Button.MARK)
    assert isinstance(rig.scene(1), LobbyScene)


def test_a_late_comer_watches():
    """Somebody at an empty seat sees no hand and is told to wait."""
    rig = Rig()
    rig.sit_and_start(1, 2)
    rig.play_to(Phase.PLAY)
    rig.press(3, Button.LEFT)
    assert reason(rig, 3) == "watching"
    assert rig.view(3).hand == ()


# Bots, leaving, coming back


def test_bots_play_a_whole_game_against_a_person():
    """Bots act by themselves after their delay, deal too, and only the person is waited for."""
    rig = Rig((1, 2, 3, 4), fill={2: "steady", 3: "steady", 4: "random"}, bot_delay_s=0.5)
    rig.sit_and_start(1)
    for _ in range(2000):
        state = rig.session.state
        if state.phase is Phase.OVER:
            break
        if 1 in (state.turn, state.dealer if state.phase is Phase.DEAL else None):
            rig.move_on()
        else:
            rig.wait(0.5)
    assert rig.session.state.phase is Phase.OVER


def test_a_table_of_bots_alone_plays_on_its_own():
    """With a bot at every seat games start, end and start again without a press."""
    rig = Rig((1, 2), fill={1: "random", 2: "random"}, bot_delay_s=0.1)
    ended = 0
    was_over = False
    for _ in range(3000):
        rig.wait(0.1)
        over = rig.session.state is not None and rig.session.state.phase is Phase.OVER
        ended += over and not was_over
        was_over = over
    assert ended >= 2


def test_holding_play_asks_and_mark_leaves():
    """A held PLAY asks first; PLAY stays, MARK hands the cards to a bot, a held PLAY takes them back."""
    rig = Rig()
    rig.sit_and_start(1, 2)
    rig.play_to(Phase.PLAY)
    rig.press(1, Button.PLAY, stroke_s=HOLD_S)
    assert rig.scene(1).asks_leave
    rig.press(1, Button.PLAY)
    assert not rig.scene(1).asks_leave
    rig.press(1, Button.PLAY, stroke_s=HOLD_S)
    rig.press(1, Button.MARK)
    assert rig.scene(1).sitter is Sitter.BOT
    assert rig.view(1).hand == ()
    rig.press(1, Button.LEFT)
    assert reason(rig, 1) == "bot-seat"
    rig.press(1, Button.PLAY, stroke_s=HOLD_S)
    assert rig.scene(1).sitter is Sitter.PLAYER


@pytest.mark.parametrize("steps", range(0, 60, 4))
@pytest.mark.parametrize("seat", [1, 2, 3])
def test_a_game_ends_whoever_leaves_and_whenever(seat, steps):
    """One seat leaves after so many steps, in whatever phase that is: a bot plays on, and the game ends."""
    rig = Rig(rules=Rules(limit=12), seed=steps)
    rig.sit_and_start(1, 2, 3)
    for _ in range(steps):
        if rig.session.state.phase is not Phase.OVER:
            rig.move_on()
    if rig.session.state.phase is Phase.OVER:
        return
    rig.press(seat, Button.PLAY, stroke_s=HOLD_S)
    rig.press(seat, Button.MARK)
    for _ in range(3000):
        state = rig.session.state
        if state.phase is Phase.OVER:
            return
        if seat in (state.turn, state.dealer if state.phase is Phase.DEAL else None):
            rig.wait(10.0)
        else:
            rig.move_on()
    pytest.fail("the game goes on for ever")


# Order and secrecy


class Witness:
    """A log that notes which state was shown when each action came."""

    def __init__(self):
        self.actions = []
        self.shown = []
        self.session = None

    def begin(self, seats, rules):
        self.actions.append(("begin", tuple(seats), rules))

    def append(self, action):
        self.actions.append(action)
        self.shown.append(self.session.state)

    def end(self, winners):
        self.actions.append(("end", tuple(winners)))


def test_an_action_is_written_before_it_is_shown():
    """When the log gets an action, the session still shows the state before it."""
    witness = Witness()
    rig = Rig(log=witness, rules=Rules(limit=5))
    witness.session = rig.session
    rig.sit_and_start(1, 2)
    rig.play_to(Phase.OVER)
    first, *middle, last = witness.actions
    assert first == ("begin", (1, 2), Rules(limit=5))
    assert last == ("end", rig.view(1).winners)
    assert {type(action) for action in middle} == {Draw, Deal, Exchange, Play}
    assert len(set(map(id, witness.shown))) == len(witness.shown)
    assert rig.session.state not in witness.shown


def test_scenes_show_no_other_hand():
    """Whatever the phase, no scene holds a card of another seat's hand."""
    rig = Rig((1, 2, 3), seed=5)
    rig.sit_and_start(1, 2)
    while rig.session.state.phase is not Phase.OVER:
        hands = {seat: set(rig.view(seat).hand) for seat in (1, 2)}
        for seat in (1, 2, 3):
            scene = rig.scene(seat)
            text = repr(replace(scene, view=replace(scene.view, result=None)))  # lay open a deal ago
            for other, hand in hands.items():
                if other != seat:
                    assert not [card for card in hand if repr(card) in text]
        rig.move_on()


def test_a_faulty_seat_is_named_to_the_others():
    """Every scene lists the seats whose screen or buttons fail."""
    rig = Rig()
    rig.session.fault(2, True)
    assert rig.scene(1).faults == (2,)
    rig.session.fault(2, False)
    assert rig.scene(1).faults == ()


def test_what_a_seat_holds_down_when_it_fails_is_no_hold():
    """A button whose release cannot be heard any more does not ask to leave."""
    rig = Rig()
    rig.sit_and_start(1, 2)
    rig.play_to(Phase.PLAY)
    rig.down(1, Button.PLAY)
    rig.session.fault(1, True)
    rig.wait(2.0)
    rig.up(1, Button.PLAY)
    assert not rig.scene(1).asks_leave


def test_two_sessions_of_the_same_chance_play_the_same():
    """With the same packs and the same presses everything repeats: no clock and no chance of its own."""
    games = []
    for _ in range(2):
        rig = Rig(seed=9, fill={3: "random"})
        rig.sit_and_start(1, 2)
        for _ in range(40):
            state = rig.session.state
            if state.phase is not Phase.OVER:
                rig.wait(2.0) if 3 in (state.turn, state.dealer) and state.turn not in (
                    1,
                    2,
                ) else rig.move_on()
        games.append(rig.session.state)
    assert games[0] == games[1]


def test_every_bot_can_be_named():
    """The names that the command line offers make bots."""
    assert {"random", "steady"} <= set(BOTS)
    for make in BOTS.values():
        assert callable(make(random.Random(1)).choose)
