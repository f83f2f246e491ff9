"""What one seat's screen shows, as plain values: the border between deciding and drawing."""

from dataclasses import dataclass
from enum import Enum

from engine.moves import IllegalMove
from engine.notation import Player
from engine.views import View
from firmware.table.controls import Picking


class Sitter(Enum):
    """Who is at a seat."""

    NOBODY = "nobody"
    PLAYER = "player"
    BOT = "bot"


@dataclass(frozen=True, slots=True)
class Notice:
    """Something to tell a player. ``reason`` says what, or an IllegalMove says why a press did nothing."""

    reason: str
    move: IllegalMove | None = None


@dataclass(frozen=True, slots=True)
class LobbyScene:
    """Before a game: who sits where."""

    seat: int
    sitters: tuple[tuple[int, Sitter], ...]
    faults: tuple[int, ...]
    notice: Notice | None
    seal: str = ""
    """of the commitment to the next game's packs; empty if there is none"""
    unsaved: bool = False
    """whether the journal cannot be written"""


@dataclass(frozen=True, slots=True)
class ResumeScene:
    """A game was on when the table stopped: go on with it?"""

    seat: int
    players: tuple[Player, ...]
    deals: int
    notice: Notice | None
    unsaved: bool = False


@dataclass(frozen=True, slots=True)
class GameScene:
    """A game under way, or over, as this seat may see it."""

    seat: int
    view: View
    sitter: Sitter
    bots: tuple[int, ...]
    faults: tuple[int, ...]
    picking: Picking
    notice: Notice | None
    asks_leave: bool
    seal: str = ""
    """of the commitment to this game's packs, before its first deal; when it is over, to the next game's"""
    unsaved: bool = False
    """whether the journal cannot be written"""
    looks: bool = False
    """whether the trick just taken is shown in the place of the hand"""


Scene = LobbyScene | ResumeScene | GameScene
