"""The screen of a hand: exchange and tricks, with the cards held or the trick on the table."""

from functools import partial

from engine.refusals import ranks_text
from engine.rules import can_head
from engine.views import Phase, View
from firmware.table.canvas import Canvas, medium, small
from firmware.table.controls import Picking
from firmware.table.pieces import columns, notice_text, pile, unsaved_tag
from firmware.table.scenes import GameScene, Notice, Sitter
from firmware.table.words import Words
from hardware.seat import WIDTH

STRIP_HEIGHT = 16
MESSAGE_Y = 17
CARD_Y = 33
MARKED_RAISE = 3
CURSOR_Y = 54


def draw_hand(canvas: Canvas, scene: GameScene, words: Words) -> None:
    """Draw what a seat sees while a hand is played."""
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
        unsaved_tag(canvas, 55, words)


def _strip(canvas: Canvas, scene: GameScene) -> None:
    """Everybody's number, points and cards held. Lit: whose turn; underlined: this seat; D: dealer."""
    view = scene.view
    for seat, x, width in columns(known.seat for known in view.seats):
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
        playing = scene.view.seat is not None and not scene.view.of(scene.seat).out
        return "" if playing else _("Hold PLAY: leave")
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
    for seat, x, width in columns(known.seat for known in view.seats):
        for play in plays:
            if play.seat == seat:
                pile(canvas, x, CARD_Y, width, play.cards, filled=play == head)


def _notice(canvas: Canvas, notice: Notice, words: Words) -> None:
    canvas.box(0, 0, WIDTH, 29)
    rows = medium().wrap(notice_text(notice, words), WIDTH - 2, 99)
    font, pitch = (medium(), 12) if len(rows) <= 2 else (small(), 8)
    rows = font.wrap(notice_text(notice, words), WIDTH - 2, 3)
    top = (29 - pitch * len(rows)) // 2
    for index, row in enumerate(rows):
        canvas.centred(1, top + index * pitch, WIDTH - 2, row, font, dark=True)
