"""Pins, wires, parts and currents of a board as tables: for spreadsheets (CSV) and for reading (Markdown)."""

import csv
import html
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass

from firmware.wiring.bill import bill_of
from firmware.wiring.currents import budgets_of, loads_of
from firmware.wiring.header import HEADER
from firmware.wiring.pico import PICO_PINS
from firmware.wiring.pinout import CHIP_PINS
from firmware.wiring.plan import PI, PICO, POD, Plan, Terminal, Wire
from firmware.wiring.reach import SINK_LIMIT, bus_reach

Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Headings and rows of equal length."""

    headings: Row
    rows: tuple[Row, ...]

    def csv(self) -> str:
        """As comma-separated values with one line of headings."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.headings)
        writer.writerows(self.rows)
        return text.getvalue()

    def markdown(self) -> str:
        """As a table of GitHub's Markdown."""
        lines = [self.headings, tuple("---" for _ in self.headings), *self.rows]
        return "".join(f"| {' | '.join(escaped(cell) for cell in line)} |\n" for line in lines)


def escaped(text: str) -> str:
    """A text as it stands, within Markdown: nothing in it is taken for markup, nor for HTML."""
    return re.sub(r"([\\`*_\[\]|~])", r"\\\1", html.escape(text, quote=False))


def pin_table(plan: Plan) -> Table:
    """Every pin of the header and of a pod's Pico, used or not, and every pin of the other parts that
    something is wired to."""
    return Table(
        ("part", "pin", "name", "signal", "seat", "colour", "goes to"),
        (*_header_rows(plan), *_other_rows(plan), *_pico_rows(plan)),
    )


def _header_rows(plan: Plan) -> Iterator[Row]:
    for pin in HEADER if plan.profile.wired else ():
        yield _board_row(plan, PI, str(pin.number), pin.name)


def _pico_rows(plan: Plan) -> Iterator[Row]:
    for number, name in enumerate(PICO_PINS if plan.profile.pods else (), 1):
        yield _board_row(plan, PICO, str(number), name)


def _board_row(plan: Plan, part: str, pin: str, name: str) -> Row:
    wire = plan.at(part, pin)
    if wire is None:
        return (part, pin, name, "", "", "", "")
    far = wire.far_from(Terminal(part, pin))
    return (part, pin, name, wire.signal.name, _whose(wire), wire.signal.colour, str(far))


def _whose(wire: Wire) -> str:
    """The seat of a wire, in words."""
    if wire.seat is None:
        return ""
    return "each pod" if wire.seat == POD else str(wire.seat)


def _other_rows(plan: Plan) -> Iterator[Row]:
    for part in plan.parts:
        if part.kind not in ("mux", "expander"):
            continue
        for wire in plan.wires_of_part(part.name):
            for near, far in ((wire.start, wire.end), (wire.end, wire.start)):
                if near.part == part.name:
                    pin = str(CHIP_PINS.index(near.pin) + 1) if part.kind == "expander" else near.pin
                    signal = wire.signal
                    yield (part.name, pin, near.pin, signal.name, _whose(wire), signal.colour, str(far))


def wire_table(plan: Plan) -> Table:
    """Every wire once, in the order of assembly."""
    rows = (
        (
            str(wire.number),
            wire.signal.name,
            wire.signal.colour,
            _whose(wire),
            str(wire.start),
            str(wire.end),
        )
        for wire in plan.wires
    )
    return Table(("number", "signal", "colour", "seat", "from", "to"), tuple(rows))


def bill_table(plan: Plan) -> Table:
    """The bill of materials. The last rows are the sums of the currents, one for each supply."""
    rows: list[Row] = []
    for item in bill_of(plan):
        currents = ("", "")
        if item.loads:
            usual = sum(load.usual_sum for load in item.loads)
            currents = (_number(usual), _number(sum(load.peak_sum for load in item.loads)))
        rows.append((_number(item.quantity), item.unit, item.what, item.note, *currents))
    sums = {budget.name: budget for budget in budgets_of(plan)}
    if not plan.profile.pods:
        names = {"3V3, everything": "all together"}
    else:
        names = {"3V3, everything": "all on the Pi's header", "USB, hub and pods": "all on the hub's supply"}
    for budget, words in names.items():
        if budget in sums:
            rows.append(("", "", words, "", _number(sums[budget].usual), _number(sums[budget].peak)))
    return Table(("quantity", "unit", "part", "note", "usual mA", "peak mA"), tuple(rows))


def load_table(plan: Plan) -> Table:
    """What each kind of part draws, one and all of them, and where the figures come from."""
    rows = (
        (
            load.part,
            str(load.count),
            load.supply,
            _number(load.usual),
            _number(load.peak),
            _number(load.usual_sum),
            _number(load.peak_sum),
            load.source,
        )
        for load in loads_of(plan)
    )
    return Table(
        ("part", "count", "fed by", "usual mA each", "peak mA each", "usual mA", "peak mA", "source"),
        tuple(rows),
    )


def budget_table(plan: Plan) -> Table:
    """Sums against limits."""
    rows = (
        (
            sum_.name,
            _number(sum_.usual),
            _number(sum_.peak),
            _number(sum_.limit),
            "yes" if sum_.kept else "NO",
        )
        for sum_ in budgets_of(plan)
    )
    return Table(("sum of", "usual mA", "peak mA", "limit mA", "kept"), tuple(rows))


def reach_table(plan: Plan) -> Table:
    """How far each piece of the bus may reach."""
    rows = (
        (
            reach.name,
            _number(reach.pull_up / 1000),
            f"{_number(reach.sink)} of {_number(SINK_LIMIT)}",
            _number(reach.metres),
        )
        for reach in bus_reach(plan)
    )
    return Table(("piece of the bus", "pull-up kΩ", "mA into a low line", "cable at most, m"), tuple(rows))


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
