"""The check of a board's buses: every chip is asked, many times, whether it is there and what it is."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from drivers.latebus import LateBus
from drivers.mcp23017 import MCP23017, RegistersLost
from drivers.probe import (
    Answers,
    ask_panel,
    count_answers,
    keeps_mask,
    measure_speed,
    panel_kind,
)
from drivers.tca9548a import Muxes
from firmware.device.findings import Finding
from firmware.device.speeds import SLOW_ADVICE, slow_bus
from firmware.exits import Exit
from hardware.bus import I2CBus
from hardware.profile import Profile, WiredSeat

FAST_ENOUGH = 0.7
"""A measured clock below this share of the profile's is too slow; between two transfers time is lost, too."""


class BusCheck:
    """Checks one board. ``buses`` by the profile's names, trunks of kernel-driven muxes included.

    ``clock``: seconds, monotonic. ``set_speed``: for a bus by name, the clock in Hz that the kernel sets;
    None if nobody knows.
    """

    def __init__(
        self,
        profile: Profile,
        buses: Mapping[str, LateBus],
        clock: Callable[[], float],
        set_speed: Callable[[str], int | None] = lambda name: None,
    ) -> None:
        self._profile = profile
        self._buses = buses
        self._clock = clock
        self._set_speed = set_speed
        self._dead: set[str] = set()
        """buses that cannot be used, and muxes through which nothing can be asked"""
        self._shared: set[tuple[str, int]] = set()
        """buses and addresses on them where a chip answers for all that are behind muxes"""
        self._channels = {
            name: Muxes(
                buses[name],
                [mux.address for mux in profile.muxes.values() if mux.bus == name and mux.driven == "user"],
            )
            for name in profile.buses
        }
        self._speeds: dict[str, float] = {}
        """the highest clock measured on each bus of the profile"""

    def findings(self) -> Iterator[Finding]:
        """Look at everything, causes before consequences."""
        for name, bus in self._buses.items():
            yield self._open(name, bus)
        for name in self._profile.muxes:
            yield from self._mux(name)
        yield from self._shared_addresses()
        for name in self._profile.expanders:
            yield from self._expander(name)
        for seat in self._profile.wired:
            yield from self._panel(seat)
        for name in self._speeds:
            yield self._speed(name)

    def _open(self, name: str, bus: LateBus) -> Finding:
        try:
            bus.open()
        except OSError as error:
            self._dead.add(name)
            return Finding(f"bus {name}", Exit.BUS, error.strerror or str(error))
        speed = self._set_speed(name)
        return Finding(
            f"bus {name}", Exit.DONE, f"set to {speed / 1000:.0f} kHz" if speed else "can be opened"
        )

    def _mux(self, name: str) -> Iterator[Finding]:
        mux = self._profile.muxes[name]
        if mux.bus in self._dead:
            return
        bus, place = self._buses[mux.bus], f"mux {name} (bus {mux.bus}, 0x{mux.address:02X})"
        found = _judged(place, count_answers(lambda: bus.read(mux.address, 1)), Exit.DEAD_MUX)
        if found.code is Exit.DONE and mux.driven == "user":
            found = _tried(found, lambda: self._mask(found, bus, mux.address))
        if found.code is not Exit.DONE:
            self._dead.add(name)
        yield found

    @staticmethod
    def _mask(found: Finding, bus: I2CBus, address: int) -> Finding:
        if keeps_mask(bus, address):
            return found
        return Finding(
            found.place, Exit.WRONG_CHIP, "does not keep what is written: no TCA9548A, but another chip"
        )

    def _shared_addresses(self) -> Iterator[Finding]:
        """What answers on a bus itself, all muxes closed, at an address that panels behind them have."""
        for trunk in dict.fromkeys(mux.bus for mux in self._profile.muxes.values()):
            muxes = {name: mux for name, mux in self._profile.muxes.items() if mux.bus == trunk}
            if trunk in self._dead or self._dead & muxes.keys():
                continue
            bus = self._buses[trunk]
            for mux in muxes.values():
                if mux.driven == "user":
                    bus.write(mux.address, b"\0")
            behind = {seat.screen.address for seat in self._profile.wired if seat.screen.mux in muxes}
            for address in sorted(behind):
                count = count_answers(partial(ask_panel, bus, address)).count
                if count:
                    self._shared.add((trunk, address))
                    yield Finding(
                        f"bus {trunk}, 0x{address:02X}",
                        Exit.SHARED,
                        "answers with all channels closed: another chip shares it with the panels behind",
                    )

    def _expander(self, name: str) -> Iterator[Finding]:
        expander = self._profile.expanders[name]
        if expander.bus in self._dead:
            return
        bus, address = self._buses[expander.bus], expander.address
        place = f"expander {name} (bus {expander.bus}, 0x{address:02X})"
        found = _judged(place, count_answers(lambda: bus.write_read(address, b"\0", 1)), Exit.ABSENT)
        if found.code is Exit.DONE:
            inputs = sum(
                1 << bit.number
                for seat in self._profile.wired
                for bit in seat.buttons.bits().values()
                if bit.expander == name
            )
            found = _tried(found, lambda: self._registers(found, MCP23017(bus, address, inputs)))
        yield found

    @staticmethod
    def _registers(found: Finding, chip: MCP23017) -> Finding:
        try:
            chip.program(0)
        except RegistersLost as problem:
            return Finding(found.place, Exit.WRONG_CHIP, f"no MCP23017, but another chip: {problem}")
        return found

    def _panel(self, seat: WiredSeat) -> Iterator[Finding]:
        screen = seat.screen
        name = self._profile.bus_of(screen)
        mux = self._profile.muxes[screen.mux] if screen.mux is not None else None
        trunk = name if mux is None else mux.bus
        if {name, trunk, screen.mux} & self._dead or (
            mux is not None and (trunk, screen.address) in self._shared
        ):
            return
        bus: I2CBus = self._buses[name]
        where = f"bus {name}"
        if mux is not None and mux.driven == "user":
            assert screen.channel is not None
            where = f"mux {screen.mux}, channel {screen.channel}"
            bus = self._channels[trunk].channel(mux.address, screen.channel)
        place = f"panel of seat {seat.number} ({where}, 0x{screen.address:02X})"
        found = _judged(place, count_answers(partial(ask_panel, bus, screen.address)), Exit.ABSENT)
        if found.code is Exit.DONE:
            found = _tried(found, lambda: self._kind(found, bus, seat))
        if found.code is Exit.DONE:
            found = _tried(found, lambda: self._measured(found, bus, trunk, screen.address))
        yield found

    @staticmethod
    def _kind(found: Finding, bus: I2CBus, seat: WiredSeat) -> Finding:
        kind = panel_kind(bus, seat.screen.address)
        wanted = seat.screen.chip
        if kind is None:
            return Finding(found.place, Exit.DONE, f"{found.text}; its kind cannot be read")
        if kind == "other":
            return Finding(
                found.place, Exit.WRONG_CHIP, "does not read as a panel: another chip has its address"
            )
        if kind != ("ssd1306" if wanted == "ssd1309" else wanted):
            return Finding(found.place, Exit.WRONG_CHIP, f"reads as {kind}, the profile says {wanted}")
        return Finding(found.place, Exit.DONE, f"{found.text}, reads as {kind}")

    def _measured(self, found: Finding, bus: I2CBus, trunk: str, address: int) -> Finding:
        speed = measure_speed(bus, address, self._clock)
        self._speeds[trunk] = max(speed, self._speeds.get(trunk, 0.0))
        return found

    def _speed(self, name: str) -> Finding:
        measured, wanted = self._speeds[name], self._profile.buses[name].speed
        text = f"runs at {measured / 1000:.0f} kHz"
        if measured >= FAST_ENOUGH * wanted:
            slow = slow_bus(wanted)
            return Finding(f"bus {name}", Exit.DONE, f"{text}: {slow}" if slow else text)
        advice = SLOW_ADVICE.format(speed=wanted)
        return Finding(
            f"bus {name}", Exit.SLOW_BUS, f"{text}, the profile says {wanted / 1000:.0f}: {advice}"
        )


def _judged(place: str, answers: Answers, none: Exit) -> Finding:
    """What the answers of a chip mean; ``none``: what it is if it gave none."""
    text = f"{answers.count} of {answers.tries} questions answered"
    if answers.count == answers.tries:
        return Finding(place, Exit.DONE, text)
    text = f"{text} ({answers.problem})"
    if answers.count:
        return Finding(place, Exit.INTERMITTENT, f"{text}: check ground and wiring")
    if answers.held:
        return Finding(place, Exit.BUS, f"{text}: something holds SDA or SCL, or they are shorted")
    return Finding(place, none, f"{text}: check power, ground, SDA, SCL and address")


def _tried(found: Finding, look: Callable[[], Finding]) -> Finding:
    """What a closer look finds; a chip that answered all questions and now fails has a bad contact."""
    try:
        return look()
    except OSError as error:
        return Finding(
            found.place,
            Exit.INTERMITTENT,
            f"{found.text}, then: {error.strerror or error}: check ground and wiring",
        )
