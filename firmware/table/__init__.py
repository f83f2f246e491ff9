"""Where the game meets the seats: controls, session, screens and their runner."""
