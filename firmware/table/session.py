"""The table's program: gestures in, actions on the game, scenes out. Time and chance are handed in."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from engine.bots import Bot
from engine.game import State
from engine.moves import Event, Exchange, ExchangePassed, IllegalMove, Play, Played, TrickTaken
from engine.rules import Rules
from engine.views import Phase, View, view
from firmware.table.book import Book, Chance, Journal, Log, Saved, SavedGameError, Unwritten
from firmware.table.controls import Gesture, Gestures, Kind, Picking, chosen, suggestion
from firmware.table.notices import Notices
from firmware.table.scenes import GameScene, LobbyScene, Notice, ResumeScene, Scene, Sitter
from firmware.table.seating import PERSON, Seating
from hardware.seat import Button, Edge

LEAD_FACTOR = 3
"""A bot that leads to a next trick waits so many bot delays, so that people can see the last one."""

GUARD_S = 0.4
"""A stroke that began this soon after its seat's prompt appeared was meant for the prompt before."""

READ_FACTOR = 6
"""With nobody to wait for, a result stays this many bot delays (so that people can read it)."""


class Session:
    """One table from the first press on: sitting down, games, and the next game.

    ``seats``: the places, clockwise. ``bots``: names of bots and how to make one; ``fill``: which
    bot each seat has from the start; ``bot``: which one takes a seat later. ``bot_delay_s``: how long a bot
    thinks, more than 0. ``saved``: a game out of the journal, to go on with; ``news``: the reason of a notice
    that all get at the start. Raise ValueError for what cannot be; SavedGameError is one.
    """

    def __init__(
        self,
        seats: Sequence[int],
        *,
        chance: Chance,
        bots: Mapping[str, Callable[[], Bot]],
        bot: str = "steady",
        fill: Mapping[int, str] | None = None,
        rules: Rules = Rules(),  # noqa: B008 - frozen
        bot_delay_s: float = 1.0,
        journal: Journal | None = None,
        log: Log | None = None,
        saved: Saved | None = None,
        news: str = "",
    ) -> None:
        if not bot_delay_s > 0:
            raise ValueError(f"bot_delay_s is {bot_delay_s}: it must be more than 0 seconds")
        self.seats = tuple(seats)
        self.rules = rules
        self.version = 0
        """grows whenever a scene or a lamp may have changed"""
        self._book = Book(chance, journal or Unwritten(), log)
        self._seating = Seating(seats, bots, bot, fill or {})
        self._bot_delay_s = bot_delay_s
        self._saved = saved
        self._gestures = Gestures()
        self._picking: dict[int, Picking] = {}
        self._notices = Notices()
        self._asks_leave: set[int] = set()
        self._faults: set[int] = set()
        self._prompts: dict[int, tuple[object, float]] = {}
        self._planned: object = None
        self._due: float | None = None
        self._news = news
        if saved is not None:
            foreign = [player.seat for player in saved.players() if player.seat not in self.seats]
            if foreign:
                raise SavedGameError(f"the saved game has a seat {foreign[0]}, this table has not")
            self._book.check(saved)
            if saved.over:
                self._restore(saved, 0.0)

    @property
    def state(self) -> State | None:
        """The game that is on or over, if there is one."""
        return self._book.state

    # Input

    def edge(self, edge: Edge) -> None:
        """Take in one button edge; timers that were due before it run first."""
        self.tick(edge.at)
        self.version += 1
        self._book.press(edge)
        gesture = self._gestures.edge(edge)
        if gesture is not None:
            self._take(gesture)

    def tick(self, now: float) -> None:
        """Do what has become due by ``now``: holds, bots, notices that have stayed long enough."""
        self._book.ready(now)
        if self._book.journal.tick(now):
            self.version += 1
        if self._news:
            for seat in self.seats:
                self._notices.put(seat, Notice(self._news), now)
            self._news = ""
        for gesture in self._gestures.due(now):
            self.version += 1
            self._take(gesture)
        self.version += self._notices.expire(now)
        self._settle(now)
        while self._due is not None and now >= self._due:
            at = self._due
            self.version += 1
            self._act_alone(at)
            self._settle(at)

    def deadline(self) -> float | None:
        """When ``tick`` must be called next, if no edge comes before."""
        timers = (self._gestures, self._notices, self._book.journal)
        times = [self._due, *(timer.deadline() for timer in timers)]
        return min([at for at in times if at is not None], default=None)

    def fault(self, seat: int, faulty: bool) -> None:
        """The seat's screen or buttons fail, or work again. The game waits for it; other seats are told."""
        self.version += 1
        (self._faults.add if faulty else self._faults.discard)(seat)
        if faulty:
            self._gestures.forget(seat)

    # Output

    def scene(self, seat: int) -> Scene:
        """What this seat's screen shows now."""
        notice = self._notices.of(seat)
        faults = tuple(sorted(self._faults))
        unsaved = not self._book.journal.saving
        if self._saved is not None:
            return ResumeScene(seat, self._saved.players(), self._saved.deals, notice, unsaved)
        if self.state is None:
            sitters = tuple((s, self._seating.sitter(s)) for s in self.seats)
            return LobbyScene(seat, sitters, faults, notice, self._book.seal, unsaved)
        sitter = self._seating.sitter(seat)
        seen = self._view(seat if sitter is Sitter.PLAYER else None)
        return GameScene(
            seat,
            seen,
            sitter,
            tuple(sorted(self._seating.bots)),
            faults,
            self._picking.get(seat, Picking()).within(seen.hand),
            notice,
            seat in self._asks_leave,
            self._book.seal if seen.result is None or seen.phase is Phase.OVER else "",
            unsaved,
            self._notices.looks(seat),
        )

    def lamp(self, seat: int) -> bool:
        """Whether the game waits for this seat."""
        return self.state is not None and seat == self._awaited(self.state)

    # Gestures

    def _take(self, gesture: Gesture) -> None:
        seat, now = gesture.seat, gesture.at
        looked = self._notices.pressed(seat)
        if looked and gesture.button is Button.PLAY and gesture.kind is Kind.TAP:
            return  # what it would play could not be seen
        if self._commits(gesture) and gesture.began < self._prompt_since(seat) + GUARD_S:
            return
        if self._saved is not None:
            self._answer_saved(self._saved, gesture)
        elif self.state is None:
            self._in_lobby(gesture)
        elif seat in self._asks_leave:
            self._answer_leave(gesture)
        elif gesture.kind is Kind.HOLD and gesture.button is Button.PLAY:
            self._leave_or_join(seat)
        elif seat in self._seating.bots:
            self._notice(seat, "bot-seat", now)
        elif seat not in self._seating.players and self.state.phase is Phase.OVER:
            self._seating.sit(seat)
        elif seat not in self._seating.players:
            self._notice(seat, "watching", now)
        elif self.state.phase in (Phase.EXCHANGE, Phase.PLAY):
            self._at_hand(gesture)
        elif gesture.button is Button.PLAY:
            self._between_deals(seat, now)
        elif self.state.phase is Phase.OVER and gesture.button is Button.MARK:
            self._book.leave()
        self._settle(now)

    def _commits(self, gesture: Gesture) -> bool:
        """Whether the gesture may do what cannot be taken back: PLAY, and MARK where it marks no card."""
        marks = self.state is not None and self.state.phase in (Phase.EXCHANGE, Phase.PLAY)
        if gesture.button is Button.MARK:
            return not marks or gesture.seat in self._asks_leave
        return gesture.button is Button.PLAY

    def _answer_saved(self, saved: Saved, gesture: Gesture) -> None:
        """Go on with the saved game, or give it up: that needs a hold, since it cannot be taken back."""
        if gesture.button is Button.PLAY:
            self._restore(saved, gesture.at)
        elif gesture.button is Button.MARK and gesture.kind is Kind.HOLD:
            self._saved = None
            self._book.abandon(saved)

    def _restore(self, saved: Saved, now: float) -> None:
        """Everything is as it was when the saved game stopped."""
        self._saved = None
        self._seating.restore(saved.players())
        self._book.resume(saved, now)

    def _in_lobby(self, gesture: Gesture) -> None:
        seat = gesture.seat
        if seat not in self._seating.players:
            self._seating.sit(seat)
        elif gesture.button is Button.MARK:
            self._seating.stand(seat)
        elif gesture.button is Button.LEFT:
            self._seating.remove_bot()
        elif gesture.button is Button.RIGHT:
            if not self._seating.add_bot():
                self._notice(seat, "no-seat-free", gesture.at)
        elif len(self._seating.taken()) < 2:
            self._notice(seat, "two-needed", gesture.at)
        else:
            self._new_game(gesture.at)

    def _at_hand(self, gesture: Gesture) -> None:
        seat = gesture.seat
        seen = self._view(seat)
        picking = self._picking.get(seat, Picking()).within(seen.hand)
        if gesture.button is Button.LEFT:
            self._picking[seat] = picking.moved(-1, seen.hand)
        elif gesture.button is Button.RIGHT:
            self._picking[seat] = picking.moved(1, seen.hand)
        elif gesture.button is Button.MARK:
            hold = gesture.kind is Kind.HOLD
            self._picking[seat] = suggestion(seen, picking) if hold else picking.toggled(seen.hand)
        elif not seen.hand:
            self._notice(seat, "out" if self._in_game(seat) else "next-game", gesture.at)
        else:
            self._attempt(chosen(seen, picking), gesture.at)

    def _between_deals(self, seat: int, now: float) -> None:
        assert self.state is not None
        if self.state.phase is Phase.OVER:
            self._new_game(now)
        elif seat == self.state.dealer or self.state.dealer not in self._seating.players:
            self._deal(now)
        else:
            self._notice(seat, "dealer-deals", now)

    def _leave_or_join(self, seat: int) -> None:
        if seat in self._seating.players:
            self._asks_leave.add(seat)
        elif seat in self._seating.bots:
            self._seating.sit(seat)
            self._picking.pop(seat, None)
            self._note_sitter(seat)

    def _answer_leave(self, gesture: Gesture) -> None:
        if gesture.button is Button.PLAY:
            self._asks_leave.discard(gesture.seat)
        elif gesture.button is Button.MARK:
            self._asks_leave.discard(gesture.seat)
            self._seating.stand(gesture.seat)
            if self._in_game(gesture.seat):
                self._seating.put_bot(gesture.seat)
                self._note_sitter(gesture.seat)

    def _note_sitter(self, seat: int) -> None:
        if self._in_game(seat):
            self._book.seated(self._seating.player(seat))

    # The game

    def _new_game(self, now: float) -> None:
        self._asks_leave.clear()
        players = [self._seating.player(seat) for seat in self._seating.taken()]
        self._book.begin(self.rules, players, now)

    def _deal(self, now: float) -> None:
        self._picking.clear()
        self._tell(self._book.deal(now), now)

    def _attempt(self, action: Exchange | Play, now: float) -> None:
        """A player's action: applied, or refused with a notice that says why. Nothing else changes then."""
        try:
            events = self._book.apply(action, now)
        except IllegalMove as refused:
            self._notices.put(action.seat, Notice(refused.reason, refused), now)
        else:
            picking = self._picking.get(action.seat, Picking())
            self._picking[action.seat] = replace(picking, marked=frozenset())
            self._tell(events, now)

    def _tell(self, events: Sequence[Event], now: float) -> None:
        """Show players what happened, to them or on the table, without a press of theirs."""
        assert self.state is not None
        for event in events:
            if isinstance(event, ExchangePassed) and event.seat in self._seating.players:
                self._notices.put(event.seat, Notice("no-exchange"), now)
            elif isinstance(event, Played):
                self._notices.end_looks()
            elif isinstance(event, TrickTaken) and self.state.phase is Phase.PLAY:
                self._notices.look(self._seating.players, now)
        if self.state.phase is Phase.PLAY and not isinstance(events[0], Played):
            for seat, picking in self._picking.items():  # what was marked was meant for the exchange
                self._picking[seat] = replace(picking, marked=frozenset())

    # What happens by itself

    def _act_alone(self, now: float) -> None:
        """What the table does when nobody needs to press: a bot's move or deal, a game of bots alone."""
        state = self.state
        if self._saved is not None:
            self._restore(self._saved, now)
        elif state is None:
            self._new_game(now)
        elif state.phase is Phase.OVER:
            self._book.leave()
        elif state.phase is Phase.DEAL:
            self._deal(now)
        else:
            seat = self._awaited(state)
            assert seat is not None
            self._tell(self._book.apply(self._seating.bots[seat].choose(view(state, seat)), now), now)

    def _next_due(self, now: float) -> float | None:
        """When the table acts by itself from here on; None if it waits for a player."""
        state, players, bots = self.state, self._seating.players, self._seating.bots
        read = now + self._bot_delay_s * READ_FACTOR
        if self._saved is not None:
            return None if any(player.kind == PERSON for player in self._saved.players()) else read
        if state is None:
            return now + self._bot_delay_s if len(bots) == len(self.seats) else None
        if state.phase is Phase.OVER:
            return None if players else read
        if state.phase is Phase.DEAL:
            return read if state.dealer not in players else None
        leads_again = state.tricks and not state.trick
        wait = self._bot_delay_s * (LEAD_FACTOR if leads_again else 1)
        return now + wait if state.turn in bots else None

    def _settle(self, now: float) -> None:
        """After every change: note for whom the prompt is new, and plan what happens by itself."""
        prompt = self._prompt()
        for seat in self.seats:
            asked = prompt if self._asked(seat) else None
            mine = (asked, self._seating.sitter(seat), seat in self._asks_leave)
            if seat not in self._prompts or self._prompts[seat][0] != mine:
                self._prompts[seat] = (mine, now)
        plan = (prompt, frozenset(self._seating.players), frozenset(self._seating.bots))
        if plan != self._planned:
            self._planned, self._due = plan, self._next_due(now)
            self._notices.outdated()

    def _prompt(self) -> object:
        """What the table asks for now: equal while it asks for the same."""
        state = self.state
        if state is None:
            return self._saved
        return (state.deals, state.phase, state.turn, state.dealer, len(state.tricks), len(state.trick))

    def _asked(self, seat: int) -> bool:
        """Whether the prompt is for this seat's player, too: a deal that no player makes is for all."""
        state = self.state
        if state is None or state.phase is Phase.OVER:
            return True
        awaited = self._awaited(state)
        for_all = state.phase is Phase.DEAL and awaited not in self._seating.players
        return seat in self._seating.players and (seat == awaited or for_all)

    def _prompt_since(self, seat: int) -> float:
        return self._prompts[seat][1] if seat in self._prompts else float("-inf")

    @staticmethod
    def _awaited(state: State) -> int | None:
        return state.dealer if state.phase is Phase.DEAL else state.turn

    # Small things

    def _in_game(self, seat: int) -> bool:
        return self.state is not None and any(known.seat == seat for known in self.state.seats)

    def _view(self, seat: int | None) -> View:
        assert self.state is not None
        return view(self.state, seat if seat is not None and self._in_game(seat) else None)

    def _notice(self, seat: int, reason: str, now: float) -> None:
        self._notices.put(seat, Notice(reason), now)
