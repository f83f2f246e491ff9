"""Who may ask: only pages that this server itself has served (docs/web.md, "Who may connect")."""

from collections.abc import Sequence

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
EVERYWHERE = ("", "0.0.0.0", "::")
"""What a server that listens on all addresses is told to listen on."""


def authority(host: str) -> str:
    """A host as it stands in an address: IPv6 in brackets."""
    return f"[{host}]" if ":" in host else host


def own_hosts(host: str, reached: str, port: int) -> frozenset[str]:
    """The ``Host`` values that mean this server, listening on ``host`` and reached at address ``reached``.

    A name that somebody else's DNS points here is not among them.
    """
    names = {*LOOPBACK, authority(reached)}
    if host not in EVERYWHERE:
        names.add(authority(host).lower())
    return frozenset(f"{name}:{port}" for name in names) | (frozenset(names) if port == 80 else frozenset())


def refusal(hosts: Sequence[str], origins: Sequence[str], own: frozenset[str], *, socket: bool) -> str | None:
    """Why a request is refused; None if it may pass.

    ``hosts`` and ``origins`` are all its headers of these names, ``own`` what ``own_hosts`` gave. A browser
    sends no Origin when a page is opened, but always one with a socket: it has to be this very server's.
    """
    if len(hosts) != 1 or hosts[0].lower() not in own:
        return "The Host of this request is not this server."
    if not origins and not socket:
        return None
    if len(origins) != 1 or origins[0].lower() != f"http://{hosts[0].lower()}":
        return "The Origin of this request is not this server."
    return None
