"""A sheet of A4 paper to draw wiring on, in millimetres from its upper left corner."""

from collections.abc import Sequence
from typing import Any, Literal

import drawsvg

from firmware.wiring.pages import Aim
from firmware.wiring.plan import Wire
from firmware.wiring.signals import SIGNALS, Signal

WIDTH, HEIGHT, MARGIN = 210.0, 297.0, 12.0
FONT = "DejaVu Sans, Verdana, Helvetica, sans-serif"
FAINT, GREY = "#eeeeee", "#606060"

Point = tuple[float, float]
Anchor = Literal["start", "middle", "end"]


class Sheet:
    """One drawing. What is drawn later lies on top."""

    def __init__(self, title: str, subtitle: str, number: int, count: int) -> None:
        self._drawing = drawsvg.Drawing(int(WIDTH), int(HEIGHT), font_family=FONT)
        self._drawing.set_render_size(f"{WIDTH:g}mm", f"{HEIGHT:g}mm")
        self.box(0, 0, WIDTH, HEIGHT, fill="#ffffff", stroke="none")
        self.text(MARGIN, 19, title, 6, bold=True)
        self.text(MARGIN, 25.5, subtitle, 3.2)
        self.text(WIDTH - MARGIN, 19, f"sheet {number} of {count}", 3.6, "end", bold=True)
        self.line([(MARGIN, 29), (WIDTH - MARGIN, 29)], 0.4)

    def svg(self) -> str:
        """The drawing as text; the same drawing always gives the same text."""
        return str(self._drawing.as_svg(header="")) + "\n"

    def text(
        self,
        x: float,
        y: float,
        words: str,
        size: float = 3.0,
        anchor: Anchor = "start",
        *,
        bold: bool = False,
        fill: str = "#000000",
        turned: bool = False,
    ) -> None:
        """Write one line; ``y`` is its base line. ``turned``: upwards."""
        style: dict[str, Any] = {"font_weight": "bold"} if bold else {}
        if turned:
            style["transform"] = f"rotate(-90 {_n(x)} {_n(y)})"
        self._drawing.append(drawsvg.Text(words, size, _n(x), _n(y), text_anchor=anchor, fill=fill, **style))

    def lines(
        self, x: float, y: float, words: Sequence[str], size: float = 3.0, *, fill: str = "#000000"
    ) -> None:
        """Write several lines, the first with its base line at ``y``."""
        for row, line in enumerate(words):
            self.text(x, y + row * size * 1.45, line, size, fill=fill)

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        *,
        fill: str = "#ffffff",
        stroke: str = "#000000",
        line: float = 0.3,
        corner: float = 0,
    ) -> None:
        """A rectangle with rounded corners of radius ``corner``."""
        self._drawing.append(
            drawsvg.Rectangle(
                _n(x), _n(y), _n(width), _n(height), fill=fill, stroke=stroke, stroke_width=line, rx=corner
            )
        )

    def disc(self, x: float, y: float, radius: float, *, fill: str = "#000000", line: float = 0.3) -> None:
        """A circle with a black edge."""
        self._drawing.append(
            drawsvg.Circle(_n(x), _n(y), radius, fill=fill, stroke="#000000", stroke_width=line)
        )

    def line(self, points: Sequence[Point], width: float = 0.3, *, stroke: str = "#000000") -> None:
        """A line from point to point."""
        self._drawing.append(_path(points, stroke, width))

    def wire(self, points: Sequence[Point], wire: Wire) -> None:
        """A wire in its signal's colour. It bridges what it crosses, and says in data attributes what it
        joins."""
        group = drawsvg.Group(
            data_wire=wire.number,
            data_signal=wire.signal.name,
            data_from=str(wire.start),
            data_to=str(wire.end),
        )
        self._strokes(group, points, wire.signal)
        self._drawing.append(group)

    def sample(self, x: float, y: float, length: float, signal: Signal) -> None:
        """A short piece of wire, for a legend or a table."""
        self._strokes(self._drawing, [(x, y), (x + length, y)], signal)

    def _strokes(self, target: Any, points: Sequence[Point], signal: Signal) -> None:
        target.append(_path(points, "#ffffff", 1.9))
        target.append(_path(points, "#000000", 1.1))
        if signal.core is not None:
            dash = {"stroke_dasharray": signal.dash} if signal.dash else {}
            target.append(_path(points, signal.core, 0.7, **dash))

    def pin(self, x: float, y: float, mark: str, *, used: bool = True) -> None:
        """A pin with its number in it; pin 1 is square."""
        fill = "#ffffff" if used else FAINT
        if mark == "1":
            self.box(x - 2.9, y - 2.9, 5.8, 5.8, fill=fill, line=0.5)
        else:
            self.disc(x, y, 2.9, fill=fill, line=0.5)
        self.text(x, y + 1.05, mark, 2.9, "middle", bold=used, fill="#000000" if used else GREY)

    def goal(self, x: float, y: float, width: float, height: float, aim: Aim) -> None:
        """A box that says where the wires at its edge go on."""
        self.box(x, y, width, height, fill=FAINT, corner=1)
        middle = y + height / 2
        self.text(x + width / 2, middle - 0.3, aim.label, fitting(aim.label, 3, width), "middle", bold=True)
        self.text(x + width / 2, middle + 3, aim.place, fitting(aim.place, 2.4, width * 1.3), "middle")

    def flag(self, right: float, y: float, words: str, width: float) -> None:
        """A label whose right edge is the beginning of a wire."""
        self.box(right - width, y - 2.6, width, 5.2, corner=0.8)
        self.text(right - width / 2, y + 1.05, words, fitting(words, 2.7, width), "middle")

    def legend(self, y: float, used: Sequence[Signal]) -> None:
        """All signals in use with colour and pattern, in one row."""
        shown = [signal for signal in SIGNALS if signal in used]
        step = (WIDTH - 2 * MARGIN) / max(len(shown), 5)
        for column, signal in enumerate(shown):
            x = MARGIN + column * step
            self.sample(x, y, step - 5, signal)
            self.text(x, y + 4.4, signal.name, 2.7, bold=True)
            self.text(x, y + 8, signal.colour, 2.5)


def fitting(words: str, size: float, width: float) -> float:
    """The size, or a smaller one at which bold ``words`` fit into ``width``."""
    return min(size, round((width - 1) / (0.7 * len(words)), 2))


def _n(value: float) -> float | int:
    """To 0.01 mm, and without a fraction where there is none: the text must not depend on rounding errors."""
    rounded = round(value, 2)
    return int(rounded) if rounded == int(rounded) else rounded


def _path(points: Sequence[Point], stroke: str, width: float, **more: str) -> Any:
    flat = [_n(value) for point in points for value in point]
    return drawsvg.Lines(
        *flat, fill="none", stroke=stroke, stroke_width=width, stroke_linejoin="round", **more
    )
