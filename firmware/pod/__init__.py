"""Firmware of a seat pod, for MicroPython on an RP2040 or RP2350."""
