"""Every screen of the table, drawn from its scene: pure functions, one image a seat."""

from PIL import Image

from engine.refusals import ranks_text
from engine.views import Phase, SeatView, View
from firmware.table.canvas import CARD_HEIGHT, Canvas, medium, small
from firmware.table.handscreen import draw_hand
from firmware.table.pieces import columns, notice_text, pile, unsaved_tag
from firmware.table.scenes import GameScene, LobbyScene, ResumeScene, Scene, Sitter
from firmware.table.seating import PERSON
from firmware.table.words import Words
from hardware.seat import WIDTH

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
        draw_hand(canvas, scene, words)
    return canvas.image


# Before a game


def _lobby(canvas: Canvas, scene: LobbyScene, words: Words) -> None:
    _ = words.gettext
    sitters = dict(scene.sitters)
    sitting = sum(sitter is not Sitter.NOBODY for sitter in sitters.values())
    mine = sitters[scene.seat] is Sitter.PLAYER
    _title(canvas, scene, words)
    who = {Sitter.NOBODY: "-", Sitter.PLAYER: _("in"), Sitter.BOT: _("bot")}
    for seat, x, width in columns(sitters):
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
    for seat, x, width in columns(players):
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
        unsaved_tag(canvas, 40, words)
    canvas.centred(0, 28, WIDTH, _("A bot plays on for you."), small())
    canvas.hint(_("MARK leave"), _("PLAY stay"))


# Between deals


def _between_deals(canvas: Canvas, scene: GameScene, words: Words) -> None:
    _ = words.gettext
    view = scene.view
    result = view.result
    if result is None:
        canvas.bar(0, _("Not saving") if scene.unsaved else _("The highest card deals"), lit=scene.unsaved)
        for seat, x, width in columns(known.seat for known in view.seats):
            _column_head(canvas, view.of(seat), x, width, lit=seat == view.dealer)
            pile(canvas, x, COLUMN_CARD_Y, width, view.of(seat).drew, filled=seat == view.dealer)
        if scene.seal:
            canvas.centred(0, 44, WIDTH, _seal(scene.seal, words), small())
    else:
        canvas.bar(0, _("Not saving") if scene.unsaved else _kept_text(view, words), lit=scene.unsaved)
        kept = dict(result.kept)
        final = {play.seat: play.cards for play in result.final}
        for seat, x, width in columns(known.seat for known in view.seats):
            _column_head(canvas, view.of(seat), x, width, lit=seat in kept)
            pile(canvas, x, COLUMN_CARD_Y, width, final.get(seat, ()), filled=seat in kept)
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
    for seat, x, width in columns(known.seat for known in view.seats):
        won = seat in view.winners
        _column_head(canvas, view.of(seat), x, width, lit=won)
        pile(canvas, x, COLUMN_CARD_Y - 1, width, view.of(seat).pile[-1:], filled=won)
        _column_points(canvas, view.of(seat), x, 40, width, words)
    if scene.seal:
        canvas.centred(0, 49, WIDTH, _next_seal(scene.seal, words), small())
    if scene.sitter is Sitter.PLAYER:
        canvas.hint(_("MARK lobby"), _("PLAY next game"))
    if scene.unsaved:
        unsaved_tag(canvas, 55, words)


def _next_seal(seal: str, words: Words) -> str:
    return words.gettext("Next seal {seal}").format(seal=seal)


assert COLUMN_CARD_Y + CARD_HEIGHT <= 42
