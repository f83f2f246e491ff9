"""What a board needs from the Pi's boot configuration.

Sources: raspberrypi.com documentation, "Device trees, overlays and parameters" (parameters, and that the
module i2c-dev must be asked for), "config.txt" (sections), "Configuring UARTs" (``enable_uart``, the
console), and the kernel's overlays/README (i2c-mux).
"""

from hardware.profile import FUNCTION_PINS, Profile

CONFIG, MODULES, COMMAND_LINE = (
    "/boot/firmware/config.txt",
    "/etc/modules-load.d/twentytwo.conf",
    "/boot/firmware/cmdline.txt",
)
"""Where Raspberry Pi OS keeps these, from Bookworm on."""

CONSOLE = "console=serial0,115200"
"""What puts a login on the serial port, on the kernel's command line."""

_OFF = {"spi": "dtparam=spi=off", "i2s": "dtparam=i2s=off", "uart": "enable_uart=0"}


def boot_lines(profile: Profile) -> tuple[str, ...]:
    """Lines for the end of config.txt, in order."""
    lines = ["[all]"]
    for bus in profile.buses.values():
        lines += ["dtparam=i2c_arm=on", f"dtparam=i2c_arm_baudrate={bus.speed}"]
    taken = pins_taken(profile)
    lines += [line for function, line in _OFF.items() if taken & FUNCTION_PINS[function]]
    for mux in profile.muxes.values():
        if mux.driven == "kernel":
            # Otherwise the last panel would stay within reach of whatever is sent to the trunk.
            lines.append(f"dtoverlay=i2c-mux,pca9548,addr=0x{mux.address:02x},disconnect_on_idle")
    return tuple(lines)


def pins_taken(profile: Profile) -> frozenset[int]:
    """GPIO numbers that the board uses, those of the I2C bus aside."""
    pins = [gpio for seat in profile.wired for gpio in (*seat.buttons.by_button().values(), seat.lamp_pin)]
    pins += [mux.reset for mux in profile.muxes.values()]
    pins += [expander.interrupt for expander in profile.expanders.values()]
    return frozenset(pin for pin in pins if pin is not None)


def needs_no_console(profile: Profile) -> bool:
    """Whether a login on the serial port would sit on pins that the board uses."""
    return bool(pins_taken(profile) & FUNCTION_PINS["uart"])


def needs_no_onewire(profile: Profile) -> bool:
    """Whether an overlay w1-gpio would sit on a pin that the board uses."""
    return bool(pins_taken(profile) & FUNCTION_PINS["onewire"])
