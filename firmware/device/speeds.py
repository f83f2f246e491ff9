"""What it means that a bus is slow, in words."""

FULL_SPEED = 400_000
"""Hz: what the chips are made for. A Raspberry Pi has 100,000 unless it is told otherwise."""
FRAME_BITS = 9 * 1_040
"""Bit times of a whole picture on the wire."""

SLOW_ADVICE = "put dtparam=i2c_arm_baudrate={speed} into config.txt"


def slow_bus(speed: int | None) -> str | None:
    """What a clock of so many Hz means, and how it gets faster; None if it is fast enough, or unknown."""
    if speed is None or speed >= FULL_SPEED:
        return None
    advice = SLOW_ADVICE.format(speed=FULL_SPEED)
    return f"a whole picture takes {1000 * FRAME_BITS / speed:.0f} ms: for 400 kHz {advice}"
