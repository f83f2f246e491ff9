"""Packs that nobody chose and everybody can check: docs/fairness.md has the protocol and test vectors."""

import hashlib
import hmac
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, count

from engine.cards import Card

SECRET_BYTES = 32
"""256 bits: more than log2(52!) = 225.6, so that every order of a pack can come."""

SEAL_SYMBOLS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Digits and letters that are not mistaken for each other: no I, L, O and U."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where the packs of one game come from, as its record says it, and the secret, which it says at the end.

    Either ``commitment`` and ``secret`` are set (64 hexadecimal digits each), or ``simulated`` is.
    """

    commitment: str = ""
    secret: str = field(default="", repr=False)
    simulated: str = ""


def commitment_of(secret: bytes) -> str:
    """What is published of a secret before the game: its SHA-256, 64 hexadecimal digits."""
    return hashlib.sha256(secret).hexdigest()


def seal_of(commitment: str) -> str:
    """The short form of a commitment that people compare: its first 60 bits, as in ``7ZKX 0Q4M T9B2``."""
    bits = int(commitment[:15], 16)
    symbols = "".join(SEAL_SYMBOLS[bits >> shift & 31] for shift in range(55, -1, -5))
    return " ".join(symbols[start : start + 4] for start in (0, 4, 8))


def shuffled(cards: Sequence[Card], secret: bytes, message: str) -> tuple[Card, ...]:
    """The cards in the order that a secret and a message give: every order as likely as any other.

    Fisher and Yates' shuffle from the last place down. Each place is drawn with a byte of the stream; a byte
    that would favour the lower places is left out.
    """
    order = list(cards)
    stream = _stream(secret, message)
    for last in range(len(order) - 1, 0, -1):
        size = last + 1
        limit = 256 - 256 % size
        byte = next(stream)
        while byte >= limit:
            byte = next(stream)
        place = byte % size
        order[last], order[place] = order[place], order[last]
    return tuple(order)


def _stream(secret: bytes, message: str) -> Iterator[int]:
    """Bytes without end: HMAC-SHA-256 of the message and a counter, under the secret."""
    return chain.from_iterable(
        hmac.digest(secret, f"{message}\n{block}".encode(), "sha256") for block in count()
    )


def counted(line: str) -> str:
    """What a line of a record adds to the message of the shuffles after it; empty if it adds nothing.

    Presses and actions count as they stand, draws and deals without their cards, which follow from the rest.
    """
    if not line.startswith(("presses ", "@")):
        return ""
    words = line.split()
    return " ".join(words[:2]) if words[1] in ("draw", "deal") else line


class Sealed:
    """Chance for real games: a new secret for each, committed to beforehand and revealed afterwards.

    ``entropy(n)`` gives n bytes that nobody can foretell: ``secrets.token_bytes``.
    """

    def __init__(self, entropy: Callable[[int], bytes]) -> None:
        self._entropy = entropy
        self._secret = b""

    def prepare(self) -> Source:
        """Another game is to come: make its secret."""
        self._secret = self._entropy(SECRET_BYTES)
        return Source(commitment_of(self._secret), self._secret.hex())

    def resume(self, source: Source, sizes: Sequence[int]) -> None:
        """Go on with a game of this source. Raise ValueError if its secret is not the one committed to."""
        secret = bytes.fromhex(source.secret)
        if commitment_of(secret) != source.commitment:
            raise ValueError("the secret is not the one that was committed to")
        self._secret = secret

    def shuffled(self, cards: Sequence[Card], message: str = "") -> tuple[Card, ...]:
        """The cards in the order that the secret and the message give."""
        return shuffled(cards, self._secret, message)
