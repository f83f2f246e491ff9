"""The device's programs: the table on real hardware or simulated, and what checks it."""
