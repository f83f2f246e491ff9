"""How far a board's I2C bus may reach, by UM10204 rev. 5 (NXP, the I2C specification), section 7.1."""

from dataclasses import dataclass

from firmware.wiring.plan import Plan

SUPPLY = 3.3
"""Volts of the Pi's 3V3 pins, from which everything is fed."""

PI_OHM, MUX_OHM, PANEL_OHM = 1_800, 10_000, 4_700
"""Pull-ups on SDA and on SCL: the Pi's own on GPIO2 and GPIO3, those of a mux breakout towards the Pi, and
those of a usual panel (marked 472)."""
WEAK_PANEL_OHM = 10_000
"""Pull-ups of some panels (marked 103): too weak for a cable of useful length, see ADDED_OHM."""
ADDED_OHM = 4_700
"""Resistors to add from SDA and from SCL to VCC at a panel that has WEAK_PANEL_OHM."""
SINK_LIMIT, LOW_VOLTS = 3.0, 0.4
"""mA that any I2C chip can sink at V (table 9, Fast-mode)."""
RISE_LIMIT = {100_000: 1_000e-9, 400_000: 300e-9, 1_000_000: 120e-9}
"""Longest rise time in s up to each clock rate (table 10)."""
LOAD_LIMIT = 400.0
"""pF that a bus may have (table 10, Fast-mode)."""
CABLE_FARAD = 50.0
"""pF a metre between neighbours in a flat ribbon cable with 1.27 mm pitch (makers state 45 to 50)."""
CHIP_FARAD = 10.0
"""pF of one chip's pin (table 9)."""


@dataclass(frozen=True, slots=True)
class Reach:
    """How far one piece of the bus may reach.

    ``pull_up``: Ω that pull its lines up, all in parallel. ``sink``: mA into whoever pulls a line low, with
    all that is joined to this piece meanwhile. ``metres``: of cable, all branches of the piece added.
    """

    name: str
    pull_up: float
    sink: float
    metres: float


def bus_reach(plan: Plan, panel_ohm: float = PANEL_OHM) -> tuple[Reach, ...]:
    """The trunk first, then, where there is a mux, one of its channels with a panel of ``panel_ohm``.

    A channel's lines rise through the channel's own pull-ups alone: the mux's switch lets only 1.9 V pass
    at 3.3 V (SCPS207, 6.5), less than a high level. Whoever pulls low sinks both sides' current, of one
    channel at a time.
    """
    profile = plan.profile
    (bus,) = profile.buses.values()
    rise = next(limit for speed, limit in RISE_LIMIT.items() if bus.speed <= speed)
    on_trunk = [seat for seat in profile.wired if seat.screen.mux is None]
    ohms = [PI_OHM, *(MUX_OHM for _ in profile.muxes), *(panel_ohm for _ in on_trunk)]
    pull = _parallel(ohms)
    chips = 1 + len(profile.muxes) + len(profile.expanders) + len(on_trunk)
    behind = len(on_trunk) < len(profile.wired)
    sink = _sink(_parallel([pull, panel_ohm]) if behind else pull)
    reaches = [Reach("trunk, Pi to strip", round(pull), sink, _metres(rise, pull, chips))]
    if behind:
        reaches.append(Reach("channel of the mux to its panel", panel_ohm, sink, _metres(rise, panel_ohm, 2)))
    return tuple(reaches)


def _parallel(ohms: list[float]) -> float:
    return 1 / sum(1 / ohm for ohm in ohms)


def _sink(ohm: float) -> float:
    return round((SUPPLY - LOW_VOLTS) / ohm * 1000, 2)


def _metres(rise: float, ohm: float, chips: int) -> float:
    """Equation 1 of section 7.1, solved for the capacitance; what the chips leave is the cable's."""
    farad = min(LOAD_LIMIT, rise / (0.8473 * ohm) * 1e12)
    return max(0.0, round((farad - chips * CHIP_FARAD) / CABLE_FARAD, 1))


def weak_panels(plan: Plan) -> str | None:
    """What to do if the panels have weak pull-ups, in a sentence; None if that changes nothing."""
    reaches = bus_reach(plan, WEAK_PANEL_OHM)
    if len(reaches) == 1:  # the Pi's own pull-ups help all panels that hang on the trunk
        return None
    weak, mended = reaches[-1], bus_reach(plan, _parallel([WEAK_PANEL_OHM, ADDED_OHM]))[-1]
    return (
        f"Panels with pull-ups of {WEAK_PANEL_OHM // 1000} kΩ (marked 103) reach {weak.metres:g} m only. "
        f"Solder {ADDED_OHM / 1000:g} kΩ from SDA to VCC and from SCL to VCC at each of them: "
        f"{mended.metres:g} m, and {mended.sink:g} mA of the {SINK_LIMIT:g} mA that every chip can sink."
    )
