"""What the device's programs print."""


def say(line: str) -> None:
    """Print a line at once, so that whoever reads a pipe has it."""
    print(line, flush=True)  # noqa: T201 - this is the command line
