"""Players by program: a view in, an action out."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from engine.bots.bot import Bot, Chance
from engine.bots.steady import SteadyBot
from engine.bots.uniform import RandomBot

__all__ = ["BOTS", "Bot", "Chance"]

BOTS: Mapping[str, Callable[[Chance], Bot]] = MappingProxyType(
    {"random": RandomBot, "steady": lambda chance: SteadyBot()}
)
"""Bots by name. Each is made with the chance that it may use."""
