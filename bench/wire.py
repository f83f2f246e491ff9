"""What screens cost on a simulated I2C bus: bytes, transfers and time at 400 kHz, and the processor's part.

Run: python bench/wire.py
"""

import random
import timeit

from PIL import Image, ImageDraw

from drivers.board import WiredBoard, open_board
from drivers.linepins import line_pins
from drivers.oled import WINDOW_COST
from hardware.frame import changes, pack
from hardware.profile import Profile, load_profile
from hardware.sim.bus import SimI2CBus
from hardware.sim.tree import SimBoard

SPEED = 400_000


def noise(seed: int) -> Image.Image:
    """A picture of which nothing is known."""
    return Image.frombytes("1", (128, 64), random.Random(seed).randbytes(1024))


def hand(cursor: int, style: str) -> Image.Image:
    """Eleven cards of 11 pixels' width; the cursor's has a bar under it, is inverted, or is raised."""
    image = Image.new("1", (128, 64))
    draw = ImageDraw.Draw(image)
    for card, rank in enumerate("23456789JQK"):
        here = card == cursor
        top = 32 - 4 * (here and style == "raised")
        inverted = here and style == "inverted"
        draw.rectangle((card * 11, top, card * 11 + 9, top + 22), outline=1, fill=inverted)
        draw.text((card * 11 + 2, top + 5), rank, fill=not inverted)
        if here and style == "bar":
            draw.rectangle((card * 11, 58, card * 11 + 9, 60), fill=1)
    return image


def opened(profile: Profile) -> tuple[WiredBoard, SimI2CBus]:
    """A board of simulated chips with the drivers on it, set up and blank."""
    sim = SimBoard(profile, strict=True)
    factory = line_pins(sim.lines, lambda: 0.0)
    board = open_board(profile, sim.adapters, factory, clock=lambda: 0.0)
    board.flush(0.0)
    return board, sim.buses["main"]


def cost(board: WiredBoard, bus: SimI2CBus, name: str, images: dict[int, Image.Image]) -> None:
    """Show these images; print what that cost."""
    before = bus.traffic
    for seat, image in images.items():
        board.seats[seat].screen.show(image)
    board.flush(0.0)
    took = bus.traffic.since(before)
    print(f"{name:<44}{took.bytes:>7}{took.transfers:>11}{took.seconds(SPEED) * 1000:>9.2f}")


def main() -> None:
    """Print the table."""
    profile = load_profile("direct-6-usermux")
    print(f"{'':<44}{'bytes':>7}{'transfers':>11}{'ms':>9}")
    board, bus = opened(profile)
    start = bus.traffic
    print(f"{'six panels: dark, set up, blank':<44}{start.bytes:>7}{start.transfers:>11}", end="")
    print(f"{start.seconds(SPEED) * 1000:>9.2f}")
    cost(board, bus, "six seats repainted from blank", {seat: noise(seat) for seat in board.seats})
    cost(board, bus, "one seat repainted", {1: noise(99)})
    cost(board, bus, "the same image again", {1: noise(99)})
    for style in ("bar", "inverted", "raised"):
        cost(board, bus, f"  (a hand of eleven, {style})", {2: hand(4, style)})
        cost(board, bus, f"cursor moves by one card, {style}", {2: hand(5, style)})
    text = hand(5, "raised")
    ImageDraw.Draw(text).text((0, 0), "Your turn: beat 9 9", fill=1)
    cost(board, bus, "one line of text appears", {2: text})
    one, other = pack(hand(4, "inverted")), pack(hand(5, "inverted"))
    image = hand(4, "inverted")
    for name, work in (
        ("pack an image", lambda: pack(image)),
        ("find a cursor's move", lambda: changes(one, other, cost=WINDOW_COST)),
        ("compare unlike frames", lambda: changes(pack_a, pack_b, cost=WINDOW_COST)),
    ):
        microseconds = min(timeit.repeat(work, number=200, repeat=7)) / 200 * 1e6
        print(f"{name:<44}{microseconds:>18.0f} µs of processor time")


pack_a, pack_b = pack(noise(1)), pack(noise(2))

if __name__ == "__main__":
    main()
