"""A game's score as a drawing: everybody's points after each deal, and the limit."""

import math
from xml.sax.saxutils import escape

from engine.notation import Header, read_header, replay
from engine.state import Phase

WIDTH, HEIGHT = 440, 300
LEFT, RIGHT, TOP, BOTTOM = 36, 132, 24, 34
LONGEST_NAME = 14
COLOURS = ("#0067a3", "#b24a00", "#00735a", "#a83a78", "#6b5d00", "#6247aa")
DASHES = ("", "8 3", "2 3", "10 3 2 3", "5 5", "14 4")
"""Lines differ by dashes too, so that they can be told apart in print. Each colour is dark enough to read."""


def points_by_deal(text: str) -> dict[int, list[int]]:
    """Each seat's points before the first deal and after every one that was played to its end."""
    seats = read_header(text).seats
    found = {seat: [0] for seat in seats}
    for step in replay(text):
        if step.state.deals and step.state.phase in (Phase.DEAL, Phase.OVER):
            for known in step.state.seats:
                found[known.seat].append(known.points)
    return found


def chart(text: str) -> str:
    """The score chart of a record as an SVG document. Raises what ``engine.notation.loads`` does."""
    header = read_header(text)
    scores = points_by_deal(text)
    names = _names(header)
    deals = max(1, len(next(iter(scores.values()))) - 1)
    most = max(header.rules.limit, *(max(points) for points in scores.values()))

    def x(deal: float) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * deal / deals, 1)

    def y(points: float) -> float:
        return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * points / most, 1)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="13">',
        f"<title>{escape(header.began or 'Score')}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fffdf7"/>',
        f'<path d="M{LEFT} {TOP}V{y(0)}H{x(deals)}" fill="none" stroke="#333"/>',
    ]
    for mark in range(0, most + 1, 5):
        parts.append(f'<text x="{LEFT - 6}" y="{y(mark) + 4}" text-anchor="end">{mark}</text>')
    for deal in range(0, deals + 1, math.ceil(deals / 10)):
        parts.append(f'<text x="{x(deal)}" y="{y(0) + 18}" text-anchor="middle">{deal}</text>')
    parts.append(f'<text x="{x(deals) + 14}" y="{y(0) + 18}" fill="#666">deals</text>')
    limit = y(header.rules.limit)
    parts.append(f'<path d="M{LEFT} {limit}H{x(deals)}" stroke="#999" stroke-dasharray="3 3"/>')
    parts.append(f'<text x="{LEFT + 4}" y="{limit - 4}" fill="#666">out: {header.rules.limit}</text>')
    ends = _apart([y(points[-1]) for points in scores.values()])
    for place, (seat, points) in enumerate(scores.items()):
        line = " ".join(f"{x(deal)},{y(score)}" for deal, score in enumerate(points))
        colour, dashes = COLOURS[place], DASHES[place]
        parts.append(
            f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2" '
            f'stroke-dasharray="{dashes}"/>'
        )
        label = escape(f"{points[-1]} {names[seat]}")
        parts.append(f'<text x="{x(deals) + 8}" y="{ends[place] + 4}" fill="{colour}">{label}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _names(header: Header) -> dict[int, str]:
    """What to call each seat beside its line: the player's name, cut if it is long, or seat and bot."""
    names = {seat: f"seat {seat}" for seat in header.seats}
    for player in header.players:
        if player.name:
            long = len(player.name) > LONGEST_NAME
            names[player.seat] = player.name[: LONGEST_NAME - 1] + "…" if long else player.name
        elif player.kind != "person":
            names[player.seat] += f" {player.kind}"
    return names


def _apart(heights: list[float]) -> list[float]:
    """The same heights, moved so that labels of 15 pixels neither cover each other nor leave the drawing."""
    order = sorted(range(len(heights)), key=lambda place: heights[place])
    moved, lowest = list(heights), float(HEIGHT - 8)
    for place in reversed(order):
        moved[place] = min(heights[place], lowest)
        lowest = moved[place] - 15
    highest = 10.0
    for place in order:
        moved[place] = max(moved[place], highest)
        highest = moved[place] + 15
    return moved
