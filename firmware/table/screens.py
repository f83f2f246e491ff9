"""Every screen of the table, drawn from its scene: pure functions, one image a seat."""

from collections.abc import Iterable
from functools import partial

from PIL import Image

from engine.cards import Card
from engine.refusals import REFUSALS, detail_texts, ranks_text
from engine.rules import can_head
from engine.views import Phase, SeatView, View
from firmware.table.canvas import CARD_HEIGHT, Canvas, medium, small
from firmware.table.controls import Picking
from firmware.table.scenes import GameScene, LobbyScene, Notice, ResumeScene, Scene, Sitter
from firmware.table.seating import PERSON
from firmware.table.words import Words
from hardware.seat import WIDTH

STRIP_HEIGHT = 16
MESSAGE_Y = 17
CARD_Y = 33
MARKED_RAISE = 3
CURSOR_Y = 54
COLUMN_CARD_Y = 21


def draw(scene: Scene, words: Words) -> Image.Image:
    """The 128×64 image of a scene."""
    canvas = Canvas()
    if isinstance(scene, LobbyScene):
        _lobby(canvas, scene, words)
    elif isinstance(scene, ResumeScene):
        _resume(canvas, scene, words)
    elif scene.asks_leave:
        _leave(canvas, scene, words)
    elif scene.view.phase is Phase.OVER:
        _over(canvas, scene, words)
    elif scene.view.phase in (Phase.DRAW, Phase.DEAL):
        _between_deals(canvas, scene, words)
    else:
        _hand(canvas, scene, words)
    return canvas.image


# Before a game


def _lobby(canvas: Canvas, scene: LobbyScene, words: Words) -> None:
    _ = words.gettext
    sitters = dict(scene.sitters)
    sitting = sum(sitter is not Sitter.NOBODY for sitter in sitters.values())
    mine = sitters[scene.seat] is Sitter.PLAYER
    _title(canvas, scene, words)
    who = {Sitter.NOBODY: "-", Sitter.PLAYER: _("in"), Sitter.BOT: _("bot")}
    for seat, x, width in _columns(sitters):
        occupied = sitters[seat] is not Sitter.NOBODY
        canvas.box(x + 1, 14, width - 2, 21, filled=occupied)
        name = (
            _("you") if seat == scene.seat and mine else "!" if seat in scene.faults else who[sitters[seat]]
        )
        canvas.centred(x + 1, 15, width - 2, str(seat), medium(), dark=occupied)
        canvas.centred(x + 1, 27, width - 2, name, small(), dark=occupied)
    if scene.notice is not None:
        canvas.bar(36, notice_text(scene.notice, words), lit=True)
    elif not mine:
        canvas.bar(36, _("Any button: sit down"), lit=True)
    elif sitting < 2:
        canvas.bar(36, _("Who else plays?"), lit=False)
    elif scene.seal:
        canvas.bar(36, _seal(scene.seal, words), lit=False)
    else:
        canvas.bar(36, words.ngettext("{n} player", "{n} players", sitting).format(n=sitting), lit=False)
    if mine:
        canvas.hint(_("←→ bots"), _("MARK stand up"), row=1)
        canvas.hint("", _("PLAY start") if sitting >= 2 else "")
    if scene.seal and not (mine and sitting >= 2):
        canvas.centred(0, 57, WIDTH, _seal(scene.seal, words), small())


def _title(canvas: Canvas, scene: LobbyScene | ResumeScene, words: Words) -> None:
    """The topmost row before a game."""
    if scene.unsaved:
        canvas.bar(0, words.gettext("Not saving"), lit=True)
        return
    canvas.text(0, 0, "Twenty-Two", medium())
    place = words.gettext("Seat {n}").format(n=scene.seat)
    canvas.text(WIDTH - medium().width(place), 0, place, medium())


def _seal(seal: str, words: Words) -> str:
    """What the table has committed to: the same on every screen, and in the record afterwards."""
    return words.gettext("Seal {seal}").format(seal=seal)


def _resume(canvas: Canvas, scene: ResumeScene, words: Words) -> None:
    _ = words.gettext
    _title(canvas, scene, words)
    players = {player.seat: player for player in scene.players}
    for seat, x, width in _columns(players):
        person = players[seat].kind == PERSON
        canvas.box(x + 1, 14, width - 2, 21, filled=True)
        name = _("bot") if not person else _("you") if seat == scene.seat else _("in")
        canvas.centred(x + 1, 15, width - 2, str(seat), medium(), dark=True)
        canvas.centred(x + 1, 27, width - 2, name, small(), dark=True)
    if scene.notice is not None:
        canvas.bar(36, notice_text(scene.notice, words), lit=True)
    elif scene.deals:
        canvas.bar(36, _("Saved in deal {n}: go on?").format(n=scene.deals), lit=True)
    else:
        canvas.bar(36, _("A saved game: go on?"), lit=True)
    canvas.hint("", _("PLAY go on"), row=1)
    canvas.hint(_("Hold MARK: discard it"), "")


def _leave(canvas: Canvas, scene: GameScene, words: Words) -> None:
    _ = words.gettext
    canvas.bar(8, _("Leave the game?"), lit=True)
    if scene.unsaved:
        _unsaved(canvas, 40, words)
    canvas.centred(0, 28, WIDTH, _("A bot plays on for you."), small())
    canvas.hint(_("MARK leave"), _("PLAY stay"))


# A hand


def _hand(canvas: Canvas, scene: GameScene, words: Words) -> None:
    view = scene.view
    my_turn = view.turn == scene.seat and scene.sitter is Sitter.PLAYER
    if scene.notice is None:
        _strip(canvas, scene)
        canvas.bar(MESSAGE_Y, _your_turn(view, words) if my_turn else _their_turn(scene, words), lit=my_turn)
    else:
        _notice(canvas, scene.notice, words)
    if scene.looks:
        _trick(canvas, view)
        canvas.hint("", words.gettext("Any button: your hand"))
    elif view.hand:
        _cards(canvas, view, scene.picking)
        if my_turn:
            canvas.hint(_pick_hint(view, words), _play_hint(view, scene.picking, words))
        else:
            canvas.hint(words.gettext("←→ MARK"), words.gettext("Hold PLAY: leave"))
    else:
        _trick(canvas, view)
        canvas.hint("", _idle_hint(scene, words))
    if scene.unsaved:
        _unsaved(canvas, 55, words)


def _unsaved(canvas: Canvas, y: int, words: Words) -> None:
    """A tag at the left edge, in the place of a hint: the journal cannot be written."""
    text = words.gettext("Not saving")
    width = small().width(text) + 2
    canvas.box(0, y, width + 2, 9, lit=False)
    canvas.box(0, y, width, 9)
    canvas.text(1, y + 1, text, small(), dark=True)


def _strip(canvas: Canvas, scene: GameScene) -> None:
    """Everybody's number, points and cards held. Lit: whose turn; underlined: this seat; D: dealer."""
    view = scene.view
    for seat, x, width in _columns(known.seat for known in view.seats):
        known = view.of(seat)
        turn = seat == view.turn
        write = partial(canvas.text, font=small(), dark=turn)
        if turn:
            canvas.box(x, 0, width - 1, STRIP_HEIGHT)
        number = "!" if seat in scene.faults else str(seat)
        canvas.box(x + 1, 1, 7, 7, filled=True, lit=not turn)
        canvas.text(x + 2, 1, number, small(), dark=not turn)
        write(x + 10, 1, str(known.points))
        if seat == view.dealer:
            write(x + 2, 8, "D")
        elif not known.out:
            canvas.box(x + 2, 9, 4, 6, filled=False, lit=not turn)
        write(x + 10, 8, "×" if known.out else str(known.cards))
        if seat == scene.seat:
            canvas.box(x, STRIP_HEIGHT - 1, width - 1, 1, lit=not turn)


def _your_turn(view: View, words: Words) -> str:
    _ = words.gettext
    if view.phase is Phase.EXCHANGE:
        return _("Exchange up to {n}").format(n=min(view.stock, len(view.hand)))
    final = len(view.hand) == 1
    if view.best is None:
        return (
            _("Final trick: you lead") if final else _("You took it: lead") if view.tricks else _("You lead")
        )
    best = [card.rank for card in view.best.cards]
    if final:
        texts = [_("Final trick: {ranks} ({n})")]
    elif can_head([card.rank for card in view.hand], best):
        texts = [_("Match or beat {ranks} ({n})"), _("Match {ranks} ({n})")]
    else:
        texts = [_("Play low: {ranks} ({n})")]
    return _first_that_fits(texts, ranks=ranks_text(view.best.cards), n=view.best.seat)


def _first_that_fits(texts: list[str], **values: object) -> str:
    """The first of several ways to say it that fits a bar; the last if none does."""
    said = [text.format(**values) for text in texts]
    return next((text for text in said if small().width(text) <= WIDTH - 2), said[-1])


def _their_turn(scene: GameScene, words: Words) -> str:
    _ = words.gettext
    view = scene.view
    turn = view.turn
    if turn in scene.faults:
        return _("Seat {n} has a fault").format(n=turn)
    if view.phase is Phase.EXCHANGE:
        return _("{n} exchanges, stock {stock}").format(n=turn, stock=view.stock)
    if view.best is not None:
        ranks = ranks_text(view.best.cards)
        if view.best.seat == scene.seat:
            texts = [_("Seat {turn} follows your {ranks}"), _("{turn} follows your {ranks}")]
        else:
            texts = [_("Seat {turn} follows {ranks} ({n})"), _("{turn} follows {ranks} ({n})")]
        return _first_that_fits(texts, turn=turn, ranks=ranks, n=view.best.seat)
    if view.tricks:
        ranks = ranks_text(next(play.cards for play in view.tricks[-1].plays if play.seat == turn))
        return _("Seat {n} took it: {ranks}").format(n=turn, ranks=ranks)
    return _("Seat {n} leads").format(n=turn)


def _pick_hint(view: View, words: Words) -> str:
    """What else than PLAY helps now: the held MARK, once there is something to mark."""
    if len(view.hand) == 1:
        return ""
    if view.phase is Phase.EXCHANGE:
        return words.gettext("←→ MARK")
    return words.gettext("Hold MARK:set") if view.best is None else words.gettext("Hold MARK:low")


def _play_hint(view: View, picking: Picking, words: Words) -> str:
    _ = words.gettext
    marked = len(picking.marked)
    if view.phase is Phase.EXCHANGE:
        return _("PLAY exchange {n}").format(n=marked) if marked else _("PLAY keep all")
    if view.best is not None and len(view.best.cards) > 1:
        count = len(view.best.cards)
        if marked > count:
            return _("unmark {n}").format(n=marked - count)
        return _("PLAY {n} of {count}").format(n=marked, count=count)
    if marked > 1:
        return _("PLAY these {n}").format(n=marked)
    return _("PLAY lead") if view.best is None else _("PLAY card")


def _idle_hint(scene: GameScene, words: Words) -> str:
    _ = words.gettext
    if scene.sitter is Sitter.BOT:
        return _("Hold PLAY to take over")
    if scene.sitter is Sitter.PLAYER:
        return _("Hold PLAY: leave") if scene.view.of(scene.seat).out else ""
    return _("Sit down after this game")


def _cards(canvas: Canvas, view: View, picking: Picking) -> None:
    pitch = min(18, WIDTH // len(view.hand))
    left = (WIDTH - pitch * len(view.hand)) // 2
    for index, card in enumerate(view.hand):
        marked = card in picking.marked
        x = left + index * pitch
        canvas.card(x, CARD_Y - MARKED_RAISE if marked else CARD_Y, card, pitch - 1, filled=marked)
        if card in view.drawn and not view.tricks:  # new from the stock
            canvas.box(x + (pitch - 5) // 2, CARD_Y - MARKED_RAISE - 1, 4, 1)
        if index == picking.cursor:
            canvas.box(x, CURSOR_Y, pitch - 1, 2)


def _trick(canvas: Canvas, view: View) -> None:
    """The trick on the table, for those who hold no cards: each play under its seat's column."""
    plays = view.trick or (view.tricks[-1].plays if view.tricks else ())
    head = view.best or next((play for play in reversed(plays) if play.heads), None)
    for seat, x, width in _columns(known.seat for known in view.seats):
        for play in plays:
            if play.seat == seat:
                _pile(canvas, x, CARD_Y, width, play.cards, filled=play == head)


def _pile(canvas: Canvas, x: int, y: int, width: int, cards: tuple[Card, ...], *, filled: bool) -> None:
    """Cards in one column: side by side as far as they fit, else overlapping from the left."""
    step = min(11, (width - 11) // max(1, len(cards) - 1))
    left = x + (width - 10 - step * (len(cards) - 1)) // 2
    for index, card in enumerate(cards):
        canvas.card(left + index * step, y, card, filled=filled)


def _notice(canvas: Canvas, notice: Notice, words: Words) -> None:
    canvas.box(0, 0, WIDTH, 29)
    rows = medium().wrap(notice_text(notice, words), WIDTH - 2, 99)
    font, pitch = (medium(), 12) if len(rows) <= 2 else (small(), 8)
    rows = font.wrap(notice_text(notice, words), WIDTH - 2, 3)
    top = (29 - pitch * len(rows)) // 2
    for index, row in enumerate(rows):
        canvas.centred(1, top + index * pitch, WIDTH - 2, row, font, dark=True)


def notice_text(notice: Notice, words: Words) -> str:
    """Why a press did nothing, in the player's language."""
    _ = words.gettext
    if notice.move is not None:
        return _(REFUSALS[notice.reason]).format(**detail_texts(notice.move.details))
    return {
        "two-needed": _("Two are needed to play"),
        "no-seat-free": _("No seat is free"),
        "bot-seat": _("A bot plays here. Hold PLAY to take over."),
        "watching": _("A game is on. You can sit down after it."),
        "no-exchange": _("The stock is empty: no exchange for you"),
        "dealer-deals": _("Wait: the dealer deals"),
        "out": _("You are out of this game"),
        "journal-damaged": _("Bad journal: copy used"),
        "journal-lost": _("Bad journal: begun anew"),
    }[notice.reason]


# Between deals


def _between_deals(canvas: Canvas, scene: GameScene, words: Words) -> None:
    _ = words.gettext
    view = scene.view
    result = view.result
    if result is None:
        canvas.bar(0, _("Not saving") if scene.unsaved else _("The highest card deals"), lit=scene.unsaved)
        for seat, x, width in _columns(known.seat for known in view.seats):
            _column_head(canvas, view.of(seat), x, width, lit=seat == view.dealer)
            _pile(canvas, x, COLUMN_CARD_Y, width, view.of(seat).drew, filled=seat == view.dealer)
        if scene.seal:
            canvas.centred(0, 44, WIDTH, _seal(scene.seal, words), small())
    else:
        canvas.bar(0, _("Not saving") if scene.unsaved else _kept_text(view, words), lit=scene.unsaved)
        kept = dict(result.kept)
        final = {play.seat: play.cards for play in result.final}
        for seat, x, width in _columns(known.seat for known in view.seats):
            _column_head(canvas, view.of(seat), x, width, lit=seat in kept)
            _pile(canvas, x, COLUMN_CARD_Y, width, final.get(seat, ()), filled=seat in kept)
            _column_points(canvas, view.of(seat), x, 42, width, words)
    mine = view.dealer == scene.seat and scene.sitter is Sitter.PLAYER
    text = _("You deal: press PLAY") if mine else _("Seat {n} deals").format(n=view.dealer)
    if scene.notice is not None:
        text = notice_text(scene.notice, words)
    canvas.box(0, 55, WIDTH, 9, lit=mine)
    canvas.centred(0, 56, WIDTH, text, small(), dark=mine)


def _kept_text(view: View, words: Words) -> str:
    _ = words.gettext
    assert view.result is not None
    kept = view.result.kept
    if len(kept) > 1:
        return _("Tie: {n} keep theirs").format(n=", ".join(str(seat) for seat, _card in kept))
    seat, card = kept[0]
    text = _("You keep {rank}") if seat == view.seat else _("Seat {n} keeps {rank}")
    return text.format(n=seat, rank=ranks_text([card]))


def _column_head(canvas: Canvas, known: SeatView, x: int, width: int, *, lit: bool) -> None:
    if lit:
        canvas.box(x, 12, width - 1, 8)
    canvas.centred(x, 13, width - 1, str(known.seat), small(), dark=lit)


def _column_points(canvas: Canvas, known: SeatView, x: int, y: int, width: int, words: Words) -> None:
    text = f"{known.points} {words.gettext('out')}" if known.out and width > 35 else f"{known.points}"
    if known.out:
        canvas.box(x, y, width - 1, 9)
        text = text if width > 35 else f"{known.points}×"
    canvas.centred(x, y + 1, width - 1, text, small(), dark=known.out)


def _over(canvas: Canvas, scene: GameScene, words: Words) -> None:
    _ = words.gettext
    view = scene.view
    if view.winners == (scene.seat,):
        text = _("You win!")
    elif len(view.winners) == 1:
        text = _("Seat {n} wins!").format(n=view.winners[0])
    else:
        text = _("{n} share the win").format(n=", ".join(map(str, view.winners)))
    canvas.bar(0, text, lit=True)
    for seat, x, width in _columns(known.seat for known in view.seats):
        won = seat in view.winners
        _column_head(canvas, view.of(seat), x, width, lit=won)
        _pile(canvas, x, COLUMN_CARD_Y - 1, width, view.of(seat).pile[-1:], filled=won)
        _column_points(canvas, view.of(seat), x, 40, width, words)
    if scene.seal:
        canvas.centred(0, 49, WIDTH, _next_seal(scene.seal, words), small())
    if scene.sitter is Sitter.PLAYER:
        canvas.hint(_("MARK lobby"), _("PLAY next game"))
    if scene.unsaved:
        _unsaved(canvas, 55, words)


def _next_seal(seal: str, words: Words) -> str:
    return words.gettext("Next seal {seal}").format(seal=seal)


def _columns(seats: Iterable[int]) -> list[tuple[int, int, int]]:
    """Seat, left edge and width of each seat's column."""
    numbers = list(seats)
    width = WIDTH // len(numbers)
    return [(seat, index * width, width) for index, seat in enumerate(numbers)]


assert COLUMN_CARD_Y + CARD_HEIGHT <= 42
