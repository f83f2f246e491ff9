"""The finished games on the page: their list as JSON, one's score chart, one's record to keep."""

import asyncio
import json
import re
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, Protocol
from urllib.parse import parse_qsl

from websockets.http11 import Response

from engine.cards import NotationError
from engine.moves import IllegalMove
from engine.notation import Header
from firmware.errors import UsageError
from firmware.history import Game, game_of
from firmware.scorechart import chart
from firmware.table.fairness import seal_of
from firmware.web.pages import refused, response

LIST = "/games.json"
PAGE = 50
"""So many games are listed at once, the newest first; ``?before=N`` lists those before game N."""

_ONE = re.compile(r"/games/([1-9][0-9]{0,17})\.(svg|txt)", re.ASCII)
_NUMBER = re.compile(r"[1-9][0-9]{0,17}", re.ASCII)
_UNREADABLE = "The games cannot be read at the moment: try again in a while."


class Games(Protocol):
    """Where the finished games are kept."""

    def records(self) -> Mapping[int, str]:
        """Their records by number, oldest first, and never the record of a game that is on.

        Called from any thread, by one at a time. Raise UsageError if they cannot be had.
        """
        ...

    @property
    def watch(self) -> Callable[[Callable[[], None]], None]:
        """``watch(ended)``: from now on call ``ended()``, from any thread, when there is another one."""
        ...


class Shelf:
    """Answers what the page asks of the games: they are read again when one has ended since."""

    def __init__(self, games: Games) -> None:
        self._games = games
        self._one_at_a_time = asyncio.Lock()
        self._fresh = False
        self._records: Mapping[int, str] = {}
        self._listed: dict[str, dict[str, Any]] = {}
        """what the list says of a game, by its record"""

    def ended(self) -> None:
        """Another game has ended. Call it from any thread."""
        self._fresh = False

    async def answer(self, path: str, query: str) -> Response | None:
        """The answer to a request; None if its path is not that of a game or of their list."""
        one = _ONE.fullmatch(path)
        if one is None and path != LIST:
            return None
        async with self._one_at_a_time:
            try:
                return await asyncio.to_thread(self._answer, one, query)
            except (UsageError, NotationError, IllegalMove):  # their words may name files and cards
                return refused(HTTPStatus.SERVICE_UNAVAILABLE, _UNREADABLE)

    def _answer(self, one: re.Match[str] | None, query: str) -> Response:
        if not self._fresh:
            self._fresh = True  # first: a game that ends meanwhile is read the next time
            try:
                self._records = self._games.records()
            except UsageError:
                self._fresh = False
                raise
        if one is None:
            return self._list(query)
        number, kind = int(one[1]), one[2]
        text = self._records.get(number)
        if text is None:
            return refused(HTTPStatus.NOT_FOUND, f"There is no finished game {number} here.")
        if kind == "svg":
            return response(HTTPStatus.OK, chart(text).encode(), "image/svg+xml")
        answer = response(HTTPStatus.OK, text.encode())
        answer.headers["Content-Disposition"] = f'attachment; filename="twentytwo-game-{number}.txt"'
        return answer

    def _list(self, query: str) -> Response:
        asked = dict(parse_qsl(query))
        before = asked.get("before", "")
        if query and (asked.keys() != {"before"} or not _NUMBER.fullmatch(before)):
            return refused(HTTPStatus.BAD_REQUEST, "Write before= and the number of a game, or nothing.")
        numbers = [number for number in self._records if not before or number < int(before)]
        shown = {number: self._records[number] for number in reversed(numbers[-PAGE:])}
        for number, text in shown.items():
            if text not in self._listed:
                self._listed[text] = _listed(game_of(number, text))
        if len(self._listed) > 2 * len(self._records) + PAGE:
            self._listed = {text: self._listed[text] for text in shown.values()}
        found = {
            "count": len(self._records),
            "older": len(numbers) > PAGE,
            "games": [{"game": number, **self._listed[text]} for number, text in shown.items()],
        }
        return response(HTTPStatus.OK, json.dumps(found).encode(), "application/json")


def _listed(game: Game) -> dict[str, Any]:
    """What the list says of a game, besides its number."""
    header, row = game.record.header, game.row()
    return {
        "began": header.began,
        "players": [
            {
                "name": _name(header, known.seat),
                "points": known.points,
                "won": known.seat in game.state.winners,
            }
            for known in game.state.seats
        ],
        "deals": row["deals"],
        "seconds": row["seconds"],
        "finished": game.record.ended,
        "seal": seal_of(header.commitment) if header.commitment else "",
        "simulated": header.simulated,
    }


def _name(header: Header, seat: int) -> str:
    """What to call the player of a seat."""
    for player in header.players:
        if player.seat == seat and player.name:
            return player.name
        if player.seat == seat and player.kind != "person":
            return f"Seat {seat} ({player.kind})"
    return f"Seat {seat}"
