"""What the screens show: golden pictures, room for every text, and nobody else's cards."""

import random
import re
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image, ImageChops
from table_rig import Rig

from engine.cards import ACE, PACK, card, cards
from engine.game import apply, drawing, legal_actions, new_game, undealt, undrawn
from engine.moves import AnyExchange, Deal, Draw, Exchange, IllegalMove, Play
from engine.notation import Player
from engine.refusals import REFUSALS
from engine.rules import Rules
from engine.views import Phase, view
from firmware.table import canvas
from firmware.table.controls import Picking
from firmware.table.pieces import notice_text
from firmware.table.scenes import GameScene, LobbyScene, Notice, ResumeScene, Sitter
from firmware.table.screens import draw
from firmware.table.words import Words, catalogue
from hardware.seat import HEIGHT, WIDTH

GOLDEN = Path(__file__).parent / "golden"
ENGLISH = catalogue()


def start(*seats, pack=PACK, rules=Rules()):  # noqa: B008 - frozen
    """A game whose highest number draws the highest card and deals this pack."""
    state = new_game(seats, rules)
    drawn = sorted(undrawn(state))
    state, _ = apply(state, Draw((*drawn[: len(seats) - 1], drawn[-1])))
    return state


def deal(state, *hands, first_cards=()):
    """Deal these hands, given from the dealer's left on; the stock is the rest, low to high."""
    given = [card for round_ in zip(*hands, strict=True) for card in round_]
    rest = [card for card in undealt(state) if card not in given]
    return apply(state, Deal((*given, *rest)))[0]


def keep_all(state):
    """Nobody exchanges."""
    while state.phase is Phase.EXCHANGE:
        state = apply(state, Exchange(state.turn, ()))[0]
    return state


def play(state, *texts):
    """Each seat in turn plays these cards."""
    for text in texts:
        state = apply(state, Play(state.turn, cards(text)))[0]
    return state


def scene(state, seat, picking=Picking(), notice=None, *, sitter=Sitter.PLAYER, faults=(), asks=False):  # noqa: B008
    """The scene of a seat."""
    seen = view(state, seat if sitter is Sitter.PLAYER else None)
    return GameScene(seat, seen, sitter, (), faults, picking, notice, asks)


def lobby(seat, *sitters, notice=None, faults=()):
    """The lobby as a seat sees it."""
    return LobbyScene(seat, tuple(enumerate(sitters, 1)), faults, notice)


def refused(state, action):
    """The notice that an illegal action brings."""
    with pytest.raises(IllegalMove) as caught:
        apply(state, action)
    return Notice(caught.value.reason, caught.value)


HANDS = (
    cards("2c 7d 7h 9s 10c Jd As"),
    cards("3c 4d 6h 8s 10d Kd Ks"),
    cards("2d 5c 5d 5h Qc Qd Qh"),
)


def golden_scenes():
    """Every kind of screen, by name."""
    free, here, bot = Sitter.NOBODY, Sitter.PLAYER, Sitter.BOT
    found = {
        "lobby-free": lobby(1, free, here, bot, free, free, here),
        "lobby-sitting": lobby(2, free, here, bot, free, free, here),
        "lobby-alone": lobby(1, here, free, notice=Notice("two-needed")),
        "lobby-fault": lobby(1, here, here, here, free, faults=(3,)),
    }
    drawn = start(1, 2, 3)
    found["draw-dealer"] = scene(drawn, 3)
    found["draw-waiting"] = scene(drawn, 1)
    redraw = new_game((1, 2, 4, 5, 6))
    redraw = apply(redraw, Draw(cards("Ks 2c Kd 3c Kh")))[0]
    redraw = apply(redraw, Draw(cards("4c 10s 4d")))[0]
    found["draw-again"] = scene(redraw, 1)
    dealt = deal(drawn, *HANDS)
    found["exchange-turn"] = scene(dealt, 1, Picking(6, frozenset(cards("Jd As"))))
    found["exchange-waiting"] = scene(dealt, 2, Picking(2))
    playing = keep_all(dealt)
    found["lead-turn"] = scene(playing, 1, Picking(2, frozenset(cards("7d 7h"))))
    found["lead-waiting"] = scene(playing, 3, Picking(0))
    led = play(playing, "7d 7h")
    found["follow-turn"] = scene(led, 2, Picking(3, frozenset(cards("8s"))))
    found["follow-too-many"] = scene(led, 2, Picking(3, frozenset(cards("3c 4d 8s"))))
    found["follow-own-head"] = scene(led, 1, Picking(0))
    found["illegal"] = scene(led, 2, Picking(1), refused(led, Play(2, cards("4d 6h"))))
    found["fault"] = scene(led, 3, faults=(2,))
    found["bot-seat"] = scene(led, 2, sitter=bot)
    found["leave"] = scene(led, 1, asks=True)
    taken = play(led, "8s 10d", "Qc Qd")
    found["trick-taken"] = scene(taken, 1, Picking(1))
    found["trick-look"] = replace(scene(taken, 1), looks=True)
    found["trick-look-leader"] = replace(scene(taken, 3), looks=True)
    low = play(taken, "Qh")
    found["follow-low"] = scene(low, 1, Picking(0))
    final = play(taken, "5c 5d", "9s 10c", "Kd Ks", "3c", "2d", "2c", "6h", "Qh", "Jd")
    final = play(final, *_play_out(final))
    found["final-lead"] = scene(final, final.turn)
    final = play(final, *_last(final))
    found["final-follow"] = scene(final, final.turn)
    over = play(final, *_last(final))
    over = play(over, *_last(over))
    found["kept"] = scene(over, 2)
    found["kept-dealer"] = scene(over, over.dealer)
    big = new_game((1, 2), Rules(first_hand=11))
    big = apply(big, Draw(cards("2c As")))[0]
    big = deal(big, cards("2c 3d 4h 5s 6c 8d 10h 10s Jc Qd Kh"), cards("2d 3h 4s 5c 6d 8h 10c 10d Js Qh Ks"))
    found["eleven-cards"] = scene(keep_all(big), 1, Picking(7, frozenset(cards("10h 10s"))))
    tie = _finish(new_game((1, 2, 3, 4), Rules(limit=11)))
    found["over"] = scene(tie, tie_winner(tie))
    return found | saving_scenes(found)


SEAL = "7ZKX 0Q4M T9B2"


def saving_scenes(found):
    """Screens with a seal, with a saved game, and with a journal that cannot be written."""
    seal, unsaved = {"seal": SEAL}, {"unsaved": True}
    changed = {
        f"{name}-{kind}": replace(found[name], **change)
        for name, kind, change in (
            ("lobby-free", "seal", seal),
            ("lobby-sitting", "seal", seal),
            ("draw-dealer", "seal", seal),
            ("over", "seal", seal),
            ("lobby-sitting", "unsaved", unsaved),
            ("draw-waiting", "unsaved", unsaved),
            ("lead-turn", "unsaved", unsaved),
            ("kept", "unsaved", unsaved),
            ("over", "unsaved", unsaved),
            ("leave", "unsaved", unsaved),
        )
    }
    players = (Player(1, "person"), Player(3, "steady"), Player(4, "person"))
    return changed | {
        "resume": ResumeScene(1, players, 4, None),
        "resume-damaged": ResumeScene(2, players, 0, Notice("journal-damaged"), unsaved=True),
    }


def tie_winner(state):
    """The winner, or the first of them."""
    return view(state, None).winners[0]


def _last(state):
    """The last card of the seat whose turn it is, as text."""
    return [" ".join(map(str, view(state, state.turn).hand))]


def _play_out(state):
    """Lowest cards until everybody has one left."""
    texts = []
    while len(view(state, state.turn).hand) > 1 or state.trick:
        hand = view(state, state.turn).hand
        count = len(state.trick[0].cards) if state.trick else 1
        text = " ".join(map(str, hand[:count]))
        texts.append(text)
        state = play(state, text)
    return texts


def _finish(state, seed=4):
    """Play to the end, by chance."""
    dice = random.Random(seed)
    while state.phase is not Phase.OVER:
        state = apply(state, some_action(state, dice))[0]
    return state


def some_action(state, dice):
    """A legal action, by chance."""
    if state.phase is Phase.DRAW:
        return Draw(tuple(dice.sample(undrawn(state), len(drawing(state)))))
    if state.phase is Phase.DEAL:
        pack = undealt(state)
        return Deal(tuple(dice.sample(pack, len(pack))))
    choice = dice.choice(legal_actions(state))
    if isinstance(choice, AnyExchange):
        return Exchange(
            choice.seat, tuple(dice.sample(view(state, choice.seat).hand, dice.randint(0, choice.at_most)))
        )
    return choice


@pytest.mark.parametrize("name", sorted(golden_scenes()))
def test_screens_look_as_they_were_approved(name, request):
    """Each kind of screen equals its golden picture, pixel for pixel."""
    image = draw(golden_scenes()[name], ENGLISH)
    file = GOLDEN / f"{name}.png"
    if request.config.getoption("--update-golden"):
        GOLDEN.mkdir(exist_ok=True)
        image.save(file)
    assert file.exists(), f"no golden picture {file.name}: look at the screen, then run with --update-golden"
    assert ImageChops.difference(image.convert("L"), Image.open(file).convert("L")).getbbox() is None


def test_every_golden_picture_has_its_scene():
    """No picture is left of a screen that is no longer drawn."""
    assert {file.stem for file in GOLDEN.glob("*.png")} == set(golden_scenes())


def test_no_text_is_cut(monkeypatch):
    """In random games of 2 to 6 players every text of every seat's screen fits as it is."""
    cut = []
    fit = canvas.Font.fit

    def watched(font, text, width):
        if fit(font, text, width) != text:
            cut.append(text)
        return fit(font, text, width)

    monkeypatch.setattr(canvas.Font, "fit", watched)
    dice = random.Random(2)
    for count in range(2, 7):
        state = new_game(tuple(range(1, count + 1)))
        while state.phase is not Phase.OVER:
            state = apply(state, some_action(state, dice))[0]
            for seat in range(1, count + 1):
                hand = view(state, seat).hand
                marked = frozenset(dice.sample(hand, dice.randint(0, len(hand))))
                draw(scene(state, seat, Picking(0, marked)), ENGLISH)
    assert cut == []


CAUSED_BY_NO_BUTTON = {"draw-count", "draw-cards", "wrong-pack", "not-your-cards", "card-twice"}


@pytest.mark.parametrize("reason", sorted(set(REFUSALS) - CAUSED_BY_NO_BUTTON))
def test_every_refusal_fits_a_notice(reason):
    """The longest form of each reason that a player can meet is shown whole."""
    longest = {
        "best": cards("10c 10d 10h 10s"),
        "lowest": cards("10c 10d 10h 10s"),
        "count": 4,
        "stock": 38,
        "turn": 6,
        "seat": 6,
    }
    notice = Notice(reason, IllegalMove("R0", reason, "", longest))
    rows = canvas.small().wrap(notice_text(notice, ENGLISH), WIDTH - 2, 3)
    assert not any(row.endswith(canvas.ELLIPSIS) for row in rows)


@pytest.mark.parametrize("count", range(1, 12))
def test_a_hand_of_any_size_shows_every_card(count):
    """Each of 1 to 11 cards changes the picture: none is hidden behind another or off the edge."""
    hand = PACK[10 : 10 + count]
    pictures = set()
    for index in range(count):
        rig_hand = list(hand)
        rig_hand[index] = card("As")
        pictures.add(draw(_holding(tuple(sorted(rig_hand))), ENGLISH).tobytes())
        missing = draw(_holding(tuple(hand), Picking(index)), ENGLISH)
        pictures.add(missing.tobytes())
    assert len(pictures) == 2 * count


def _holding(hand, picking=Picking()):  # noqa: B008 - frozen
    """A scene in which seat 1 holds these cards."""
    seen = view(start(1, 2), 1)
    values = {name: getattr(seen, name) for name in seen.__slots__}
    return GameScene(
        1,
        type(seen)(**{**values, "hand": hand, "phase": Phase.PLAY, "turn": 1}),
        Sitter.PLAYER,
        (),
        (),
        picking,
        None,
        False,
    )


def test_ranks_look_different():
    """No two of the thirteen ranks look alike, marked or not."""
    for filled in (False, True):
        pictures = set()
        for rank in range(2, ACE + 1):
            sheet = canvas.Canvas()
            sheet.card(0, 0, next(card for card in PACK if card.rank == rank), filled=filled)
            pictures.add(sheet.image.tobytes())
        assert len(pictures) == 13


def test_every_needed_character_has_a_glyph():
    """Latin-1 letters, Welsh, Belarusian and suits are drawn, none as the font's missing-character box."""
    needed = "ŵŷŴŶẁẃẅỳўіёЎІЁ♠♥♦♣←→…×" + "".join(map(chr, range(0xC0, 0x100)))
    for font in (canvas.small(), canvas.medium(), canvas.large()):
        missing = font.face.getmask("\U0001f0a1").getbbox() and bytes(font.face.getmask("\U0001f0a1"))
        for letter in needed:
            assert bytes(font.face.getmask(letter)) != missing, f"{letter} is missing at {font.height} pixels"


def test_letters_and_accents_part_by_part_draw_as_one():
    """A letter followed by its accent draws like the letter that has it (NFD like NFC)."""
    one, two = canvas.Canvas(), canvas.Canvas()
    one.text(0, 0, "ŵ", canvas.medium())
    two.text(0, 0, "ŵ", canvas.medium())
    assert one.image.tobytes() == two.image.tobytes()


def test_frames_are_equal_when_only_hidden_cards_differ():
    """Two deals that give this seat the same cards, and others other cards, draw the same pictures."""
    others = [card for card in PACK if card not in HANDS[0]]
    pictures = set()
    for seed in range(20):
        dice = random.Random(seed)
        rest = dice.sample(others, len(others))
        state = deal(start(1, 2, 3), HANDS[0], rest[:7], rest[7:14])
        assert view(state, 1).hand == HANDS[0]
        first = draw(scene(state, 1), ENGLISH).tobytes()
        second = draw(scene(apply(state, Exchange(1, ()))[0], 1), ENGLISH).tobytes()
        pictures.add((first, second))
    assert len(pictures) == 1


def test_every_scene_of_a_session_can_be_drawn():
    """From the lobby to the end of a game, each seat always has a 128×64 picture of one bit a pixel."""
    rig = Rig((1, 2, 3), seed=3)
    for step in range(60):
        for seat in (1, 2, 3):
            image = draw(rig.scene(seat), ENGLISH)
            assert (image.mode, image.size) == ("1", (WIDTH, HEIGHT))
        if step == 0:
            rig.sit_and_start(1, 3)
        elif rig.session.state.phase is not Phase.OVER:
            rig.move_on()


class Crosses(Words):
    """A language in which every letter is an x."""

    def gettext(self, message):
        """The message with its letters crossed out; names in braces stay."""
        return re.sub(r"\{\w+\}|\w", lambda found: found[0] if found[0][0] == "{" else "x", message)

    def ngettext(self, one, many, count):
        """The same for a message with a number."""
        return self.gettext(one if count == 1 else many)


def test_every_text_is_translated(monkeypatch):
    """In a language of crosses only ranks, numbers, signs and the game's name are left as they are."""
    written = set()
    stencil = canvas.Font._stencil

    def watched(font, text):
        written.add(text)
        return stencil(font, text)

    monkeypatch.setattr(canvas.Font, "_stencil", watched)
    for fonts in (canvas.small, canvas.medium, canvas.large):
        fonts.cache_clear()
    words = Crosses()
    for shown in golden_scenes().values():
        draw(shown, words)
    for fonts in (canvas.small, canvas.medium, canvas.large):
        fonts.cache_clear()
    written = {text.replace(SEAL, "") for text in written}
    left = {text for text in written if re.search(r"[A-Za-wyz]", re.sub(r"\b([JQKA]|10)\b", "", text))}
    assert left <= {"Twenty-Two", "D"}
    assert len(written) > 50
