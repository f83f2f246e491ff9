"""What a check has found, for people and for programs."""

from collections.abc import Iterable

import msgspec

from firmware.exits import Exit


class Finding(msgspec.Struct, frozen=True):
    """One fact. ``place``: what was looked at; ``code``: what is wrong with it, or Exit.DONE."""

    place: str
    code: Exit
    text: str

    @property
    def line(self) -> str:
        """The fact on one line, with the kind of fault in front."""
        return f"{verdict(self.code):<13} {self.place}: {self.text}"


def verdict(code: Exit) -> str:
    """The name of a code: ``ok``, ``dead mux``."""
    return "ok" if code is Exit.DONE else code.name.lower().replace("_", " ")


def gravest(findings: Iterable[Finding]) -> Exit:
    """The exit code of several findings: the lowest, or Exit.DONE if all is well."""
    return min((finding.code for finding in findings if finding.code is not Exit.DONE), default=Exit.DONE)


def as_json(findings: Iterable[Finding]) -> str:
    """``{"exit": 13, "verdict": "absent", "findings": [{"place", "verdict", "code", "text"}, ...]}``."""
    listed = list(findings)
    code = gravest(listed)
    shown = [
        {"place": one.place, "verdict": verdict(one.code), "code": int(one.code), "text": one.text}
        for one in listed
    ]
    answer = {"exit": int(code), "verdict": verdict(code), "findings": shown}
    return msgspec.json.format(msgspec.json.encode(answer)).decode()
