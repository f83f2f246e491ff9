"""The sheet of one seat: its panel, buttons and lamp, where their wires come from, and a list to tick off."""

from firmware.wiring.currents import LAMP_OHM
from firmware.wiring.pico import PICO_PLACES
from firmware.wiring.pinout import CHIP_PLACES, HEADER_PLACES
from firmware.wiring.plan import (
    PI,
    PICO,
    Plan,
    Terminal,
    Wire,
    button_name,
    lamp_name,
    panel_name,
    resistor_name,
)
from firmware.wiring.pod_joins import pod_seat
from firmware.wiring.sheet import FAINT, GREY, MARGIN, Sheet, fitting
from firmware.wiring.wire_list import list_wires
from hardware.profile import WiredSeat
from hardware.seat import Button

SOURCE, DEVICE, CHAIN = 96.0, 142.0, 192.0
"""Right edge of the labels that say where wires come from; left edge of the parts; what joins the buttons."""
PANEL_ROWS = {"GND": 46.0, "VCC": 55.0, "SCL": 64.0, "SDA": 73.0}
FLAG = 44.0
"""Width of those labels."""
COMMON_ROW = 94.0
BUTTON_ROWS = {Button.LEFT: 105.0, Button.RIGHT: 119.0, Button.MARK: 133.0, Button.PLAY: 147.0}
LAMP_ROW, LAMP_GROUND_ROW = 163.0, 172.0
TABLE_ROW = 187.0
PRINTED = {0x3C: "0x78", 0x3D: "0x7A"}
"""What panels print for an address: it includes the bit for reading and writing."""


def draw_seat(sheet: Sheet, plan: Plan, seat: WiredSeat) -> None:
    """Draw one seat."""
    _map(sheet, plan, seat.number)
    _devices(sheet, plan, seat)
    _notes(
        sheet, "The header is on sheet 1, strip and mux on sheet 2. Panels differ in the order of their pins:"
    )


def draw_pod(sheet: Sheet, plan: Plan) -> None:
    """Draw the pod that each seat with a pod has."""
    _pico(sheet, plan)
    _devices(sheet, plan, pod_seat())
    _notes(
        sheet,
        "The Pico is seen from above; from below its sides are swapped. Panels' pins differ in their order:",
    )


def _devices(sheet: Sheet, plan: Plan, seat: WiredSeat) -> None:
    _plate(sheet, seat)
    _panel(sheet, plan, seat)
    _buttons(sheet, plan, seat)
    _lamp(sheet, plan, seat)
    list_wires(sheet, TABLE_ROW, plan.wires_of(seat.number))


def _notes(sheet: Sheet, first: str) -> None:
    notes = (
        first,
        "go by their names. In a flat cable let SDA, VCC, GND, SCL lie side by side in this order.",
        "The four legs of a button are joined in pairs: use two that only a press joins.",
    )
    sheet.lines(MARGIN, 281, notes, 2.5, fill=GREY)


def _wire_to(plan: Plan, part: str, pin: str) -> Wire:
    terminal = Terminal(part, pin)
    return next(wire for wire in plan.wires if wire.end == terminal)


def _from_source(sheet: Sheet, wire: Wire, y: float, end: float) -> None:
    """A wire that comes from another sheet, with its label."""
    sheet.wire([(SOURCE, y), (end, y)], wire)
    _mark(sheet, wire, SOURCE + 2, y)
    sheet.flag(SOURCE, y, str(wire.start), FLAG)


def _mark(sheet: Sheet, wire: Wire, x: float, y: float) -> None:
    sheet.text(x, y - 1.5, f"{wire.number}  {wire.signal.name}", 2.6, bold=True)


def _map(sheet: Sheet, plan: Plan, seat: int) -> None:
    """The part that the seat's buttons come from, small, with the pins that the seat uses."""
    part = _wire_to(plan, button_name(seat, Button.LEFT), "a").start.part
    on_pi = part == PI
    places = HEADER_PLACES if on_pi else CHIP_PLACES
    top, pitch, left, gap = (51.0, 5.3, 30.0, 6.0) if on_pi else (51.0, 7.4, 24.0, 11.0)
    middle = left + gap / 2
    title = "where on the header" if on_pi else f"where on {part}"
    sheet.text(middle, top - 11.5, title, fitting(title, 2.7, 38), "middle", fill=GREY)
    sheet.text(middle, top - 7.5, "(microSD end)" if on_pi else "(notch up)", 2.5, "middle", fill=GREY)
    height = max(place.row for place in places) * pitch
    sheet.box(left - 3.6, top - 3.8, gap + 7.2, height + 7.6, fill=FAINT, corner=1)
    for place in places:
        x, y = left + (0 if place.left else gap), top + place.row * pitch
        terminal = Terminal(part, place.pin)
        wire = next((wire for wire in plan.wires_of(seat) if terminal in (wire.start, wire.end)), None)
        if wire is None:
            sheet.disc(x, y, 0.7, fill="#ffffff", line=0.15)
            continue
        sheet.disc(x, y, 2.3, fill="#ffffff", line=0.4)
        sheet.text(x, y + 0.85, place.mark, 2.3, "middle", bold=True)
        label = x - 4.4 if place.left else x + 4.4
        sheet.text(label, y + 0.9, wire.signal.name, 2.5, "end" if place.left else "start")


def _pico(sheet: Sheet, plan: Plan) -> None:
    """A Pico with the numbers of its pins."""
    top, pitch, left, gap = 49.0, 5.5, 24.0, 14.0
    middle, height = left + gap / 2, 19 * pitch
    sheet.text(middle, top - 12.5, "USB cable to the hub", 2.7, "middle", fill=GREY)
    sheet.box(left - 3.6, top - 4.6, gap + 7.2, height + 9.2, fill="#eef6ee", line=0.4, corner=1.5)
    sheet.box(middle - 3.5, top - 10.5, 7, 8, fill="#d8d8d8", line=0.4, corner=0.5)
    sheet.text(middle, top + height / 2, PICO, 3.2, "middle", bold=True, turned=True)
    for place in PICO_PLACES:
        x, y = left + (0 if place.left else gap), top + place.row * pitch
        wire = plan.at(PICO, place.pin)
        fill = FAINT if wire is None else "#ffffff"
        sheet.disc(x, y, 2.3, fill=fill, line=0.15 if wire is None else 0.4)
        ink = GREY if wire is None else "#000000"
        sheet.text(x, y + 0.85, place.mark, 2.3, "middle", bold=wire is not None, fill=ink)
        if wire is not None:
            label = x - 4.4 if place.left else x + 4.4
            sheet.text(label, y + 0.9, wire.signal.name, 2.5, "end" if place.left else "start")


def _plate(sheet: Sheet, seat: WiredSeat) -> None:
    """How the seat looks to its player."""
    left, top = 12.0, 162.0
    sheet.box(left, top, 37, 18, fill="#ffffff", corner=1.5)
    sheet.box(left + 11, top + 2, 16, 7, fill="#101010", corner=0.5)
    sheet.text(left + 19, top + 7.2, seat.label if len(seat.label) < 4 else "", 4, "middle", fill="#ffffff")
    for column, button in enumerate(Button):
        x = left + 6 + column * 8.7
        sheet.disc(x, top + 12, 1.7, fill="#f7f0e4")
        sheet.text(x, top + 16.8, button.name, 2.3, "middle")
    if seat.lamp is not None:
        sheet.disc(left + 32.5, top + 5.5, 1.4, fill="#fff2f2")
    sheet.text(left + 38.5, top + 17, "as its player sees it", 2.5, fill=GREY)


def _panel(sheet: Sheet, plan: Plan, seat: WiredSeat) -> None:
    screen = seat.screen
    sheet.box(DEVICE, 39, 56, 45, fill="#e8f0fb", line=0.4, corner=1.5)
    sheet.box(DEVICE + 15, 43, 38, 21, fill="#101010", corner=1)
    sheet.text(
        DEVICE + 34, 57, seat.label, 9 if len(seat.label) < 4 else 4, "middle", bold=True, fill="#ffffff"
    )
    words = [f"{screen.chip.upper()}, 0x{screen.address:02X}", f"(printed {PRINTED[screen.address]})"]
    if screen.rotate:
        words.append("mounted upside down")
    sheet.lines(DEVICE + 15, 69, words, 2.7)
    for pin, y in PANEL_ROWS.items():
        _from_source(sheet, _wire_to(plan, panel_name(seat.number), pin), y, DEVICE)
        sheet.disc(DEVICE, y, 1.2, fill="#ffffff")
        sheet.text(DEVICE + 2.5, y + 1, pin, 2.7, bold=True)


def _buttons(sheet: Sheet, plan: Plan, seat: WiredSeat) -> None:
    right, last = DEVICE + 36, COMMON_ROW
    for button, y in BUTTON_ROWS.items():
        name = button_name(seat.number, button)
        common = _wire_to(plan, name, "b")
        start = (SOURCE, last) if button is Button.LEFT else (CHAIN, last)
        sheet.wire([start, (CHAIN, last), (CHAIN, y), (right, y)], common)
        if button is Button.LEFT:
            _mark(sheet, common, SOURCE + 2, last)
            sheet.flag(SOURCE, last, str(common.start), FLAG)
        else:
            sheet.disc(CHAIN, last, 1)
        sheet.text(CHAIN + 2, y - 2, str(common.number), 2.6, bold=True)
        last = y
    for button, y in BUTTON_ROWS.items():
        _from_source(sheet, _wire_to(plan, button_name(seat.number, button), "a"), y, DEVICE)
        _button(sheet, y, right, button.name)


def _button(sheet: Sheet, y: float, right: float, name: str) -> None:
    sheet.box(DEVICE, y - 5, right - DEVICE, 10, fill="#f7f0e4", line=0.4, corner=1)
    sheet.text((DEVICE + right) / 2, y - 1, name, 3, "middle", bold=True)
    sheet.line([(DEVICE, y), (DEVICE + 9, y)], 0.4)
    sheet.line([(DEVICE + 9, y), (right - 10, y + 3.2)], 0.4)
    sheet.line([(right - 9, y), (right, y)], 0.4)
    for x, pin, anchor in ((DEVICE, "a", 2.6), (right, "b", -2.6)):
        sheet.disc(x, y, 1.2, fill="#ffffff")
        sheet.text(x + anchor, y + 3.6, pin, 2.4, "middle")


def _lamp(sheet: Sheet, plan: Plan, seat: WiredSeat) -> None:
    if seat.lamp is None:
        sheet.text(DEVICE, LAMP_ROW + 1, "no lamp: the panel shows whose turn it is", 2.7, fill=GREY)
        return
    lamp, resistor = lamp_name(seat.number), resistor_name(seat.number)
    left, right, y = DEVICE - 22, DEVICE - 8, LAMP_ROW
    _from_source(sheet, _wire_to(plan, resistor, "a"), y, left)
    long_leg = _wire_to(plan, lamp, "long leg")
    sheet.wire([(right, y), (DEVICE + 10, y)], long_leg)
    sheet.box(left, y - 2.5, right - left, 5, fill="#f7f0e4", line=0.4)
    sheet.text((left + right) / 2, y + 1, f"{LAMP_OHM} Ω", 2.7, "middle", bold=True)
    sheet.text(right + 2, y - 1.5, str(long_leg.number), 2.6, bold=True)
    ground = _wire_to(plan, lamp, "short leg")
    end = DEVICE + 26
    if ground.start.part not in (button_name(seat.number, button) for button in Button):
        sheet.wire([(SOURCE, LAMP_GROUND_ROW), (CHAIN, LAMP_GROUND_ROW), (CHAIN, y), (end, y)], ground)
        _mark(sheet, ground, SOURCE + 2, LAMP_GROUND_ROW)
        sheet.flag(SOURCE, LAMP_GROUND_ROW, str(ground.start), FLAG)
    else:
        sheet.wire([(CHAIN, BUTTON_ROWS[Button.PLAY]), (CHAIN, y), (end, y)], ground)
        sheet.disc(CHAIN, BUTTON_ROWS[Button.PLAY], 1)
        sheet.text(CHAIN + 2, y - 2, str(ground.number), 2.6, bold=True)
    _led(sheet, DEVICE + 18, y)


def _led(sheet: Sheet, x: float, y: float) -> None:
    sheet.disc(x, y, 8, fill="#fff2f2", line=0.4)
    sheet.line([(x - 8, y), (x - 3, y), (x - 3, y - 3.5), (x + 3, y), (x - 3, y + 3.5), (x - 3, y)], 0.4)
    sheet.line([(x + 3, y - 3.5), (x + 3, y + 3.5)], 0.5)
    sheet.line([(x + 3, y), (x + 8, y)], 0.4)
    sheet.text(x - 9, y + 5.5, "long leg", 2.4, "end")
    sheet.text(x + 9, y + 5.5, "short leg", 2.4)
