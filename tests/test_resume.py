"""After a crash or a power cut: the same game goes on, or is given up; nothing lost, nothing doubled."""

import subprocess
import sys
from pathlib import Path

import pytest
from table_games import Kept, play, sealed
from table_rig import Rig

from engine.notation import loads
from engine.rules import Rules
from engine.views import Phase
from firmware.chance import Shuffler
from firmware.table.book import Saved
from firmware.table.controls import HOLD_S
from firmware.table.scenes import GameScene, LobbyScene, Notice, ResumeScene, Sitter
from firmware.table.screens import draw
from firmware.table.words import catalogue
from firmware.verify import unfair
from hardware.seat import Button


def killed_games(*args):
    """Run the program that kills games; what it printed."""
    program = Path(__file__).with_name("killed_games.py")
    done = subprocess.run(
        [sys.executable, program, *map(str, args)], capture_output=True, text=True, timeout=280, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_a_game_killed_at_every_write_point_ends_as_if_nothing_had_been(fast_folder):
    """SIGKILL before and after each statement to the database; the game goes on and ends in the same state.

    Every acknowledged line is there, at most one action more, and none is lost, doubled or changed.
    """
    kills, _, actions = killed_games("points", fast_folder).split()[:3]
    assert int(kills) > 6 * int(actions)


def test_a_game_killed_at_200_random_moments_ends_as_if_nothing_had_been(fast_folder):
    """The same with SIGKILL at random moments, the journal writing on its own thread."""
    assert killed_games("moments", fast_folder, 200).startswith("200 killed")


# In one process: the text of a game so far is all that the next session gets


def interrupted(steps, *, seats=(1, 2, 3), rules=Rules(limit=12), seed=1, prepare=None):  # noqa: B008
    """A game stopped after so many steps: its rig, and what the journal has of it."""
    kept = Kept()
    rig = Rig((1, 2, 3), chance=sealed(seed), journal=kept, rules=rules)
    rig.sit_and_start(*seats)
    for _ in range(steps):
        rig.move_on()
    if prepare:
        prepare(rig)
    return rig, saved_of(kept)


def saved_of(kept):
    """What a store would give back of the journal's newest game."""
    text = kept.records[-1]
    return Saved(text, kept.secrets[-1], kept.closed[-1], text.count(" deal "))


def restarted(saved, seed=2, **options):
    """Another session that finds this game, with its journal."""
    kept = kept_of(saved)
    return Rig((1, 2, 3), chance=sealed(seed), journal=kept, saved=saved, **options), kept


def kept_of(saved):
    """A journal that has this game."""
    kept = Kept()
    kept.games, kept.secrets, kept.closed = [saved.text.splitlines()], [saved.secret], [saved.over]
    return kept


@pytest.mark.parametrize("steps", range(0, 40, 3))
def test_a_game_goes_on_exactly_where_it_was(steps):
    """The same hands, prompt, dealer and sitters on every screen; the cursor alone starts anew."""
    before, saved = interrupted(steps)
    after, kept = restarted(saved)
    assert all(isinstance(after.scene(seat), ResumeScene) for seat in (1, 2, 3))
    after.press(2, Button.PLAY)
    assert after.session.state == before.session.state
    for seat in (1, 2, 3):
        assert after.view(seat) == before.view(seat)
        assert after.scene(seat).sitter is before.scene(seat).sitter
        assert after.session.lamp(seat) == before.session.lamp(seat)
    assert kept.games[-1][-1] == "resumed"


@pytest.mark.parametrize("steps", range(12))
def test_who_takes_over_a_bot_that_is_not_in_the_game_waits_for_the_next(steps):
    """A bot that the command line has put at a seat that the saved game has not: PLAY held there, and what
    is pressed then, changes nothing of the game, and the seat can be left."""
    _, saved = interrupted(steps)
    after = Rig((1, 2, 3, 4), chance=sealed(2), journal=kept_of(saved), saved=saved, fill={4: "steady"})
    after.press(2, Button.PLAY)
    state = after.session.state
    after.press(4, Button.PLAY, stroke_s=1.0)
    assert after.scene(4).sitter is Sitter.PLAYER
    draw(after.scene(4), catalogue("en"))
    if state.phase is Phase.PLAY:
        after.press(4, Button.PLAY)
        assert after.scene(4).notice == Notice("next-game")
    for button in Button:
        after.press(4, button)
    after.press(4, Button.MARK, stroke_s=1.0)
    draw(after.scene(4), catalogue("en"))
    assert after.session.state == state
    after.press(4, Button.PLAY, stroke_s=1.0)
    after.press(4, Button.MARK)
    assert after.scene(4).sitter is Sitter.NOBODY
    assert after.session.state == state


def test_a_game_goes_on_to_a_fair_end():
    """A game that was interrupted three times is won in the end, and every pack is as committed to."""
    _, saved = interrupted(5)
    for seed in (2, 3):
        rig, kept = restarted(saved, seed)
        rig.press(1, Button.PLAY)
        for _ in range(9):
            rig.move_on()
        saved = saved_of(kept)
    rig, kept = restarted(saved, 4)
    rig.press(1, Button.PLAY)
    rig.play_to(Phase.OVER)
    text = kept.records[0]
    assert list(unfair(text)) == []
    record = loads(text)
    assert record.ended
    assert len(record.noted("resumed")) == 3
    assert list(record.stamps) == sorted(record.stamps)


def test_an_answered_prompt_is_not_asked_again():
    """Whose turn it is after the restart is whose turn it was when the last action had been written."""
    rig, saved = interrupted(1)
    turn = rig.session.state.turn
    rig.move_on()
    after, _ = restarted(saved_of(rig.session._book.journal))
    after.press(1, Button.PLAY)
    assert after.session.state.turn != turn
    assert saved.text in saved_of(rig.session._book.journal).text


def test_whoever_sat_where_sits_there_again():
    """A player who left for a bot, and one who took a seat back from a bot, are as they were."""

    def leave(rig):
        rig.press(1, Button.PLAY, stroke_s=HOLD_S)
        rig.press(1, Button.MARK)

    def leave_and_come_back(rig):
        leave(rig)
        rig.press(1, Button.PLAY, stroke_s=HOLD_S)

    for prepare, sitter in ((leave, Sitter.BOT), (leave_and_come_back, Sitter.PLAYER)):
        _, saved = interrupted(2, prepare=prepare)
        after, _ = restarted(saved)
        after.press(2, Button.PLAY)
        assert [after.scene(seat).sitter for seat in (1, 2)] == [sitter, Sitter.PLAYER]


def test_the_saved_game_is_shown_without_a_card():
    """Before anybody says to go on, the screens show who played and which deal it was, and no card."""
    _, saved = interrupted(8)
    after, _ = restarted(saved)
    scene = after.scene(1)
    assert [(player.seat, player.kind) for player in scene.players] == [
        (1, "person"),
        (2, "person"),
        (3, "person"),
    ]
    assert scene.deals == saved.deals == 1
    assert draw(scene, catalogue()).size == (128, 64)


def test_discarding_takes_a_hold():
    """A tap of MARK does nothing; a hold gives the game up, reveals its secret, and the lobby is there."""
    _, saved = interrupted(8)
    after, kept = restarted(saved)
    after.press(1, Button.MARK)
    assert isinstance(after.scene(1), ResumeScene)
    after.press(1, Button.MARK, stroke_s=HOLD_S)
    assert isinstance(after.scene(1), LobbyScene)
    assert kept.games[-1][-2:] == ["abandoned", f"reveal {saved.secret}"]
    assert kept.closed[-1]
    assert list(unfair(kept.records[-1])) == []


def test_a_press_that_began_before_the_question_does_not_answer_it():
    """PLAY within 0.4 s of the start is not meant for the question."""
    _, saved = interrupted(8)
    kept = Kept()
    rig = Rig((1, 2, 3), chance=sealed(2), journal=kept, saved=saved)
    rig.session._prompts.clear()
    rig.session.tick(rig.now)
    rig.press(1, Button.PLAY, stroke_s=0.05)
    assert isinstance(rig.scene(1), ResumeScene)


def test_a_result_that_nobody_has_left_is_shown_again():
    """After a restart on the screen of a game that is over, that screen is there, with everybody in place."""
    before, kept = play(1)
    after, again = restarted(saved_of(kept))
    for seat in (1, 2, 3):
        assert isinstance(after.scene(seat), GameScene)
        assert after.view(seat) == before.view(seat)
    assert len(again.games) == 1
    assert "resumed" not in again.games[0]
    after.press(1, Button.PLAY)
    assert len(again.games) == 2
    assert after.scene(1).sitter is Sitter.PLAYER


def test_a_game_stopped_in_the_draw_draws_on():
    """A tie in the draw for dealer that was written, but not the next round, goes on with that round."""
    tie = (
        "twentytwo 2\nseats 1 2\nplayer 1 person\nplayer 2 person\nsimulated seed 1 game 1\n\n@5 draw Kc Kd\n"
    )
    kept = kept_of(Saved(tie, "", False, 0))
    rig = Rig((1, 2), seed=1, journal=kept, saved=Saved(tie, "", False, 0))
    rig.press(1, Button.PLAY)
    assert rig.session.state.phase is Phase.DEAL
    assert len(loads(kept.records[0]).actions) > 1


def test_a_table_of_bots_goes_on_by_itself():
    """If nobody but bots played, nobody is waited for."""
    kept = Kept()
    rig = Rig((1, 2), fill={1: "random", 2: "random"}, journal=kept, bot_delay_s=0.5)
    rig.wait(4.0)
    saved = saved_of(kept)
    assert saved.deals == 1
    after = Rig((1, 2), journal=kept_of(saved), saved=saved, bot_delay_s=0.5)
    assert isinstance(after.scene(1), ResumeScene)
    after.wait(4.0)
    assert isinstance(after.scene(1), GameScene)


def test_a_game_is_not_gone_on_with_by_other_chance():
    """A fair game goes on only with its secret, a game from a seed only with that seed."""
    _, saved = interrupted(3)
    with pytest.raises(ValueError, match="this game is sealed, not of seed 1"):
        Rig((1, 2, 3), chance=Shuffler(1), saved=saved)
    kept = Kept()
    Rig((1, 2), seed=5, journal=kept).sit_and_start(1, 2)
    with pytest.raises(ValueError, match="not of seed 6"):
        Rig((1, 2), seed=6, saved=saved_of(kept))
    with pytest.raises(ValueError, match="not the one that was committed to"):
        Rig((1, 2), chance=sealed(1), saved=saved_of(kept))
    with pytest.raises(ValueError, match="has a seat 3, this table has not"):
        Rig((1, 2), chance=sealed(1), saved=saved)


def test_a_seed_s_packs_go_on_as_without_the_interruption():
    """The second game of a seed, stopped and resumed, is dealt what it would have been dealt."""
    whole, stopped = Kept(), Kept()
    for kept in (whole, stopped):
        rig = Rig((1, 2), seed=5, journal=kept, rules=Rules(limit=12))
        rig.sit_and_start(1, 2)
        rig.play_to(Phase.OVER)
        rig.press(1, Button.PLAY)
        for _ in range(6):
            rig.move_on()
        if kept is whole:
            rig.play_to(Phase.OVER)
    after = Rig((1, 2), seed=5, journal=stopped, saved=saved_of(stopped))
    after.press(1, Button.PLAY)
    after.play_to(Phase.OVER)
    assert loads(stopped.records[1]).actions == loads(whole.records[1]).actions
    assert loads(whole.records[1]).header.simulated == "seed 5 game 2"
