"""How much current a board's parts draw, against what the Pi can give.

Sources: raspberrypi.com documentation, "Power supplies" (16 mA a GPIO, 50 mA all together), "GPIO pads
control" (the 3V3 supply was laid out for about 3 mA a GPIO) and "Voltage specifications" (pull-ups 33 to 73
kΩ on the Pi 4, 50 to 65 kΩ before); pinout.xyz, "3v3 power" (500 mA as the safe limit on every model since
the B+); the data sheets named at each figure.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from firmware.wiring.plan import Plan
from firmware.wiring.pod_joins import pod_seat
from firmware.wiring.reach import SUPPLY, bus_reach
from hardware.seat import Button

RAIL_LIMIT, PIN_LIMIT, PINS_LIMIT, EXPANDER_LIMIT = 500.0, 16.0, 50.0, 125.0
"""mA: what the 3V3 pins may give, one GPIO, all GPIO together; into an MCP23017 (DS20001952, 1.0)."""

SOCKET_LIMIT, HUB_LIMIT = 500.0, 2_000.0
"""mA: what a hub with a supply of its own gives at each socket (USB 2.0, 7.2.1); that supply."""

LAMP_OHM = 470
"""Resistor of a lamp: 3.2 mA at most with a red, orange or yellow LED (1.8 V or more), which a GPIO's share
of the 3V3 supply and the Pi 4's standard drive strength (4 mA) allow."""
LAMP_VOLTS = (2.0, 1.8)
"""Forward voltage of such an LED: usual, lowest."""
LAMP_SOURCE = f"{LAMP_OHM} Ω and an LED of {LAMP_VOLTS[0]:g} V, or {LAMP_VOLTS[1]:g} V at least"

PULL_UP_OHM = 33_000
"""The strongest that a Pi's own pull-up at a button may be (BCM2711)."""
PICO_PULL_UP_OHM = 50_000
"""The strongest that an RP2040's may be."""

HUB = "USB hub itself"


@dataclass(frozen=True, slots=True)
class Load:
    """What ``count`` equal parts draw from a supply, each ``usual`` and at most ``peak`` mA."""

    part: str
    supply: Literal["3V3", "GPIO", "USB"]
    count: int
    usual: float
    peak: float
    source: str

    @property
    def usual_sum(self) -> float:
        """mA of all of them."""
        return round(self.count * self.usual, 2)

    @property
    def peak_sum(self) -> float:
        """mA of all of them at their peak."""
        return round(self.count * self.peak, 2)


PANELS = {
    "ssd1306": (
        20.0,
        30.0,
        "usual: Adafruit's guide to monochrome OLED breakouts; peak: every pixel lit, 128 segments of 100 µA "
        "(SSD1306 rev. 1.5, 8.8) through a charge pump that doubles the voltage, and some for the chip",
    ),
    "sh1106": (
        25.0,
        60.0,
        "usual: estimated; peak: the most that a row may sink, 27 mA (SH1106 V2.3, features), through a "
        "charge pump that doubles the voltage, and some for the chip",
    ),
    "ssd1309": (
        80.0,
        200.0,
        "estimated for a 2.42 inch panel with a converter of its own to 12 V; measure yours",
    ),
}
"""mA of a panel at 3.3 V and full brightness, by its chip: usual, every pixel lit, where from."""


def loads_of(plan: Plan) -> tuple[Load, ...]:
    """What each kind of part draws."""
    wired = (*_chips(plan), *_buttons(plan), *_lamps(plan)) if plan.profile.wired else ()
    return (*wired, *_pods(plan))


def _chips(plan: Plan) -> Iterator[Load]:
    profile = plan.profile
    for chip, (usual, peak, source) in PANELS.items():
        count = sum(seat.screen.chip == chip for seat in profile.wired)
        if count:
            yield Load(f"panel {chip.upper()}", "3V3", count, usual, peak, source)
    if profile.muxes:
        yield Load("mux TCA9548A", "3V3", len(profile.muxes), 0.02, 0.04, "SCPS207, 6.5: ICC at 400 kHz")
    if profile.expanders:
        yield Load("expander MCP23017", "3V3", len(profile.expanders), 1.0, 1.0, "DS20001952, D004: at most")
    low = round(2 * SUPPLY / bus_reach(plan)[0].pull_up * 1000, 2)
    yield Load("pull-ups of SDA and SCL", "3V3", 1, round(low / 2, 2), low, "both lines low; half the time")


def _buttons(plan: Plan) -> Iterator[Load]:
    bits = sum(len(seat.buttons.bits()) for seat in plan.profile.wired)
    pins = len(Button) * len(plan.profile.wired) - bits
    if pins:
        pull = round(SUPPLY / PULL_UP_OHM * 1000, 2)
        yield Load("pressed button", "GPIO", pins, 0.0, pull, f"the Pi's pull-up of {PULL_UP_OHM // 1000} kΩ")
    if bits:
        yield Load(
            "pressed button at an expander", "3V3", bits, 0.0, 0.12, "DS20001952, D070: 115 µA at most"
        )


def _lamps(plan: Plan) -> Iterator[Load]:
    usual, peak = _lamp_currents()
    pins = sum(seat.lamp_pin is not None for seat in plan.profile.wired)
    bits = sum(seat.lamp_bit is not None for seat in plan.profile.wired)
    if pins:
        yield Load("lamp", "GPIO", pins, usual, peak, LAMP_SOURCE)
    if bits:
        yield Load("lamp at an expander", "3V3", bits, usual, peak, LAMP_SOURCE)


def _lamp_currents() -> tuple[float, float]:
    usual, peak = (round((SUPPLY - volts) / LAMP_OHM * 1000, 2) for volts in LAMP_VOLTS)
    return usual, peak


def _pods(plan: Plan) -> Iterator[Load]:
    """A Pico makes 3.3 V of the 5 V that it is fed with, so less flows on the cable than this."""
    count = len(plan.profile.pods)
    if not count:
        return
    pod = pod_seat()
    yield Load(HUB, "USB", 1, 50.0, 100.0, "usual: estimated; peak: USB 2.0, 7.2.1")
    yield Load("Pico", "USB", count, 30.0, 100.0, "estimated; measure yours")
    usual, peak, source = PANELS[pod.screen.chip]
    yield Load(f"panel {pod.screen.chip.upper()} of a pod", "USB", count, usual, peak, source)
    pull = round(SUPPLY / PICO_PULL_UP_OHM * 1000, 2)
    source = "RP2040 datasheet, pin specifications: pull-up of 50 kΩ at least"
    yield Load("pressed button of a pod", "USB", len(Button) * count, 0.0, pull, source)
    if pod.lamp is not None:
        yield Load("lamp of a pod", "USB", count, *_lamp_currents(), LAMP_SOURCE)


@dataclass(frozen=True, slots=True)
class Budget:
    """A sum of loads in mA against its limit."""

    name: str
    usual: float
    peak: float
    limit: float

    @property
    def kept(self) -> bool:
        """Whether the peak stays within the limit."""
        return self.peak <= self.limit


def budgets_of(plan: Plan) -> tuple[Budget, ...]:
    """Sums for the 3V3 pins (which feed the GPIO too), all GPIO together, the busiest GPIO, each expander;
    for the hub and one of its sockets."""
    loads = loads_of(plan)
    wired = _wired_budgets(plan, [load for load in loads if load.supply != "USB"])
    return (*wired, *_pod_budgets(plan, [load for load in loads if load.supply == "USB"]))


def _pod_budgets(plan: Plan, loads: Sequence[Load]) -> Iterator[Budget]:
    pods = len(plan.profile.pods)
    if pods:
        yield Budget("USB, hub and pods", _sum(loads, "usual_sum"), _sum(loads, "peak_sum"), HUB_LIMIT)
        each = [load for load in loads if load.part != HUB]
        usual, peak = _sum(each, "usual_sum") / pods, _sum(each, "peak_sum") / pods
        yield Budget("one socket of the hub", round(usual, 2), round(peak, 2), SOCKET_LIMIT)


def _wired_budgets(plan: Plan, loads: Sequence[Load]) -> tuple[Budget, ...]:
    if not loads:
        return ()
    gpio = [load for load in loads if load.supply == "GPIO"]
    budgets = [Budget("3V3, everything", _sum(loads, "usual_sum"), _sum(loads, "peak_sum"), RAIL_LIMIT)]
    if gpio:
        one = max(load.usual for load in gpio), max(load.peak for load in gpio)
        budgets += [
            Budget("all GPIO", _sum(gpio, "usual_sum"), _sum(gpio, "peak_sum"), PINS_LIMIT),
            Budget("one GPIO", *one, PIN_LIMIT),
        ]
    return (*budgets, *_expander_budgets(plan, {load.part: load for load in loads}))


def _expander_budgets(plan: Plan, loads: Mapping[str, Load]) -> Iterator[Budget]:
    for name in plan.profile.expanders:
        usual, peak = loads["expander MCP23017"].usual, loads["expander MCP23017"].peak
        for seat in plan.profile.wired:
            if seat.lamp_bit is not None and seat.lamp_bit.expander == name:
                usual += loads["lamp at an expander"].usual
                peak += loads["lamp at an expander"].peak
            used = [bit for bit in seat.buttons.bits().values() if bit.expander == name]
            peak += len(used) * (loads["pressed button at an expander"].peak if used else 0)
        yield Budget(f"expander {name}", round(usual, 2), round(peak, 2), EXPANDER_LIMIT)


def _sum(loads: Sequence[Load], field: str) -> float:
    return float(round(sum(getattr(load, field) for load in loads), 2))
