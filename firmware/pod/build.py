"""Which build of the firmware this is: the program that writes it to a pod puts its checksum here."""

BUILD = "source"
