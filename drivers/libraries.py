"""The libraries that a table's hardware needs, each proved by using a function of it."""

from collections.abc import Callable, Mapping

from drivers.oled import commands
from drivers.pi import LibraryError, import_lgpio


def _gpiozero() -> None:
    from gpiozero import pi_info

    assert pi_info(0xA02082).headers


def _lgpio() -> None:
    import_lgpio().get_module_version()


def _luma() -> None:
    commands("ssd1306")


def _pyserial() -> None:
    from serial.tools.list_ports import comports

    comports()


def _smbus2() -> None:
    from smbus2 import i2c_msg

    assert len(i2c_msg.write(0x3C, b"\0")) == 1


LIBRARIES: Mapping[str, Callable[[], None]] = {
    "gpiozero": _gpiozero,
    "lgpio": _lgpio,
    "luma.oled": _luma,
    "pyserial": _pyserial,
    "smbus2": _smbus2,
}
"""Uses each of them, by its name."""


def check_library(name: str) -> None:
    """Use a library. Raise LibraryError that says what is wrong with it and what to do."""
    try:
        LIBRARIES[name]()
    except LibraryError:
        raise
    except Exception as error:  # whatever a broken or foreign package does
        raise LibraryError(
            f"{name} does not work ({error!r}): install the table with its extra 'pi'"
        ) from error
