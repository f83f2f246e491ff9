"""A process without some of root's rights for a while: a test that runs as root meets what others meet."""

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager

ANY_FILE = (1, 2)
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH: files are opened whatever their mode says."""
LOW_PORTS = (10,)
"""CAP_NET_BIND_SERVICE: ports below 1024 may be listened at."""

VERSION = 0x20080522
"""_LINUX_CAPABILITY_VERSION_3 of capset(2): two words each of effective, permitted and inheritable rights."""


@contextmanager
def without(*capabilities: int) -> Iterator[None]:
    """This thread has none of ``capabilities`` (numbers below 32) meanwhile, if it had them.

    The user stays the same: root's own Python may lie where nobody else may read.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(VERSION, 0)
    rights = (ctypes.c_uint32 * 6)()
    _checked(libc.capget(header, rights))
    effective = rights[0]
    for number in capabilities:
        rights[0] &= ~(1 << number)
    _checked(libc.capset(header, rights))
    try:
        yield
    finally:
        rights[0] = effective
        _checked(libc.capset(header, rights))


def _checked(result: int) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
