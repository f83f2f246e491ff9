"""The sheet of the USB cables: Pi, powered hub, and a pod at each seat that has one."""

from firmware.wiring.currents import HUB_LIMIT, SOCKET_LIMIT, budgets_of
from firmware.wiring.pages import sheet_name
from firmware.wiring.plan import POD, Plan
from firmware.wiring.sheet import FAINT, GREY, MARGIN, WIDTH, Sheet

PI_BOX, HUB_BOX = (MARGIN, 44.0, 40.0), (82.0, 34.0)
"""Left and width of the Pi and of the hub; the Pi's height."""
SOCKET_PITCH = 10.0
POD_LEFT, POD_WIDTH, POD_HEIGHT = 148.0, 50.0, 20.0
PODS_TOP, PODS_PITCH = 44.0, 27.0
CABLE = 1.6
"""How thick a cable is drawn, mm."""


def draw_cables(sheet: Sheet, plan: Plan) -> None:
    """Draw the cables."""
    pods = plan.profile.pods
    left, width = HUB_BOX
    height = 12 + len(pods) * SOCKET_PITCH
    middle = PODS_TOP + (len(pods) - 1) * PODS_PITCH / 2 + POD_HEIGHT / 2
    hub_top = middle - height / 2
    _pi(sheet, middle)
    sheet.line([(PI_BOX[0] + PI_BOX[1], middle), (left, middle)], CABLE)
    sheet.text((PI_BOX[0] + PI_BOX[1] + left) / 2, middle - 3, "USB", 2.7, "middle", bold=True)
    for index, seat in enumerate(pods):
        y = PODS_TOP + index * PODS_PITCH + POD_HEIGHT / 2
        socket = middle + (index - (len(pods) - 1) / 2) * SOCKET_PITCH
        # The outermost cable bends first, so that none crosses another.
        bend = left + width + 7 + 4 * min(index, len(pods) - 1 - index)
        sheet.line([(left + width, socket), (bend, socket), (bend, y), (POD_LEFT, y)], CABLE)
        sheet.box(left + width - 4, socket - 2.2, 6, 4.4, fill="#d8d8d8", corner=0.5)
        sheet.box(POD_LEFT, y - POD_HEIGHT / 2, POD_WIDTH, POD_HEIGHT, fill="#e8f0fb", line=0.4, corner=1.5)
        sheet.text(POD_LEFT + 4, y - 3.5, f"seat {seat.number}", 3.4, bold=True)
        which = f"pod {seat.pod}" if seat.pod else "any pod: press its PLAY"
        turned = ", upside down" if seat.rotate else ""
        sheet.text(POD_LEFT + 4, y + 1.5, which, 2.7)
        sheet.text(POD_LEFT + 4, y + 6.5, f"{sheet_name(plan, POD)}{turned}", 2.7, fill=GREY)
    sheet.box(left, hub_top, width - 2, height, fill="#f7f0e4", line=0.4, corner=1.5)
    sheet.text(left + width / 2 - 2, middle - 2, "USB hub", 3.6, "middle", bold=True)
    sheet.text(left + width / 2 - 2, middle + 3, "powered", 2.9, "middle")
    sheet.line([(left + width / 2, hub_top + height), (left + width / 2, hub_top + height + 9)], CABLE)
    supply = f"{HUB_LIMIT / 1000:g} A at 5 V, of its own"
    sheet.box(left - 4, hub_top + height + 9, width + 8, 9, fill=FAINT, corner=1)
    sheet.text(left + width / 2, hub_top + height + 14.7, supply, 2.7, "middle")
    _notes(sheet, plan)


def _pi(sheet: Sheet, middle: float) -> None:
    left, width, height = PI_BOX
    sheet.box(left, middle - height / 2, width, height, fill="#eef6ee", line=0.4, corner=2)
    sheet.text(left + width / 2, middle - 5, "Raspberry Pi", 3.6, "middle", bold=True)
    sheet.text(left + width / 2, middle + 1, "any USB socket;", 2.7, "middle")
    sheet.text(left + width / 2, middle + 5, "Zero 2 W: the one marked", 2.7, "middle")
    sheet.text(left + width / 2, middle + 9, "USB, with an adapter", 2.7, "middle")


def _notes(sheet: Sheet, plan: Plan) -> None:
    pods = plan.profile.pods
    budgets = {budget.name: budget for budget in budgets_of(plan)}
    one, hub = budgets["one socket of the hub"], budgets["USB, hub and pods"]
    top = PODS_TOP + max(len(pods), 3) * PODS_PITCH + 16
    sheet.line([(MARGIN, top - 8), (WIDTH - MARGIN, top - 8)], 0.2, stroke=GREY)
    elsewhere = ", ".join(plan.profile.pod_paths)
    sheet.lines(
        MARGIN,
        top,
        (
            f"One pod draws {one.usual:.0f} mA, at most {one.peak:.0f} mA; "
            f"a socket gives {SOCKET_LIMIT:g} mA.",
            f"All pods and the hub draw {hub.usual:.0f} mA, at most {hub.peak:.0f} mA; "
            f"the hub's supply gives {HUB_LIMIT:g} mA.",
            "",
            "Cables must carry data: many that came with a charger have no wires for it. USB allows 5 m.",
            "",
            "Any pod may be plugged into any socket: it is known by the number of its chip. Its seat is",
            "chosen once, by its PLAY when its panel asks for that, or written into the board's profile.",
            "",
            "The hub must not feed the Pi. If the Pi starts without a supply of its own, take another hub.",
            *(("", f"A pod at {elsewhere} is not on USB: its cable is not drawn here.") if elsewhere else ()),
        ),
        2.9,
    )
