"""The command ``twentytwo pod``: finds pods, writes their program, tries their line, watches them."""
