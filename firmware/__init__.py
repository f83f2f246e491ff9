"""The programs of the table: on a Raspberry Pi, and simulated on a PC."""
