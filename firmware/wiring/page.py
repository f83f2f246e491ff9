"""The page that shows a board's drawings, tables and boot configuration together, as Markdown."""

from collections.abc import Mapping
from urllib.parse import quote

from firmware.wiring import boot
from firmware.wiring.currents import budgets_of
from firmware.wiring.plan import Plan
from firmware.wiring.reach import weak_panels
from firmware.wiring.tables import (
    bill_table,
    budget_table,
    escaped,
    load_table,
    pin_table,
    reach_table,
    wire_table,
)


def page(plan: Plan, drawings: Mapping[str, str]) -> str:
    """The page. ``drawings``: title of each sheet by its file's name."""
    profile = plan.profile
    return "\n".join(
        (
            f"# {escaped(profile.name)}: {escaped(profile.title)}\n",
            "Everything here follows from the board's profile: change that, not this page.",
            "How to build it all is in the maker's guide, docs/build.md.\n",
            "## Drawings\n",
            *(f"![{escaped(title)}]({quote(file)})\n" for file, title in drawings.items()),
            "## Boot configuration\n",
            _boot(plan) if profile.wired else "None: pods are on USB.\n",
            "## Parts\n",
            bill_table(plan).markdown(),
            "## Pins\n",
            pin_table(plan).markdown(),
            "## Wires\n",
            wire_table(plan).markdown(),
            "## Currents\n",
            _feeding(plan),
            load_table(plan).markdown(),
            budget_table(plan).markdown(),
            *_too_much(plan),
            *(_length(plan) if profile.wired else ()),
        )
    )


def _feeding(plan: Plan) -> str:
    if not plan.profile.pods:
        return "Everything is fed from the Pi's 3V3 pins, the GPIO included.\n"
    pods = "The hub's own supply feeds the pods.\n"
    if not plan.profile.wired:
        return pods
    return f"The Pi's 3V3 pins feed what is wired to the header, the GPIO included. {pods}"


def _length(plan: Plan) -> tuple[str, ...]:
    return (
        "## Length of the bus\n",
        reach_table(plan).markdown(),
        weak_panels(plan) or "Panels with weaker pull-ups of 10 kΩ (marked 103) do as well here.",
        "",
    )


def _boot(plan: Plan) -> str:
    profile = plan.profile
    lines = "\n".join(boot.boot_lines(profile))
    text = [
        f"At the end of `{boot.CONFIG}` (they are in `boot.txt` too):\n",
        f"```\n{lines}\n```\n",
        f"The module `i2c-dev` gives the buses their nodes `/dev/i2c-*`; `make install` asks for it in "
        f"`{boot.MODULES}`.\n",
    ]
    if boot.needs_no_console(profile):
        text.append(
            f"Take `{boot.CONSOLE}` out of `{boot.COMMAND_LINE}`: buttons use the serial port's pins.\n"
        )
    if boot.needs_no_onewire(profile):
        text.append(f"Take any line `dtoverlay=w1-gpio` out of `{boot.CONFIG}`: a button uses its pin.\n")
    text.append("They count from the next start of the Pi on.\n")
    return "\n".join(text)


def _too_much(plan: Plan) -> tuple[str, ...]:
    return tuple(
        f"**{budget.name}: up to {budget.peak:g} mA, but no more than {budget.limit:g} mA can be given. "
        "Feed the strip's 3V3 rail from a 3.3 V regulator of its own instead of from the Pi's pin 1.**\n"
        for budget in budgets_of(plan)
        if not budget.kept
    )
