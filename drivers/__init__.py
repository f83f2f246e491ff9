"""Drivers: one file a chip, given its bus or pins, opening nothing itself."""
