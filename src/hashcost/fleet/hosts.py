"""Hosts by name, and the words that run a shell on each. Pure."""

import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from hashcost.core.errors import UsageError, at_line
from hashcost.core.text import quoted

_NAME: Final = re.compile(r"(?!.*[@/]-)[A-Za-z0-9_\[:][A-Za-z0-9_.@:/%\[\]+-]*")
"""A host, as ssh, docker and kubectl name it. None begins like an option, also behind a user or a
kind of resource, and a shell on the way finds nothing in it to obey."""
_LONGEST: Final = 200
"""Characters in the name of its file."""
_PLACEHOLDER: Final = re.compile(r"(?<!\{)\{[A-Za-z_]+\}(?!\})")
_SSH_PORT: Final = 22


@dataclass(frozen=True, kw_only=True)
class FleetHost:
    """A host, and what an inventory says of the way there."""

    name: str
    address: str = ""
    """Where it is reached, if not by its name."""
    user: str = ""
    port: int | None = None
    ssh_options: tuple[str, ...] = ()
    """For the usual prefix: a key, a jump host."""

    def __post_init__(self) -> None:
        for text in (self.name, *filter(None, (self.address, self.user))):
            if not _NAME.fullmatch(text) or len(quote(text, safe="")) > _LONGEST:
                whose = "" if text == self.name else f" of {self.name}"
                raise UsageError(f"{quoted(text, 60)}{whose} is not the name of a host")

    @property
    def file_name(self) -> str:
        """The name of its profile: each host has its own, in the same folder."""
        return f"{quote(self.name, safe='')}.json"


def each_once(hosts: Iterable[FleetHost]) -> tuple[FleetHost, ...]:
    """The hosts in their order; of a name that comes twice the one that says more of the way."""
    named: dict[str, FleetHost] = {}
    for host in hosts:
        if host.name not in named or named[host.name] == FleetHost(name=host.name):
            named[host.name] = host
    return tuple(named.values())


def hosts_in(text: str) -> Iterator[FleetHost]:
    """The hosts of a file: one a line; from ``#`` on a line is a comment.

    Raises:
        UnreadableInputError: a line is no name.
    """
    for number, line in enumerate(text.splitlines(), 1):
        name = line.partition("#")[0].strip()
        if name:
            try:
                yield FleetHost(name=name)
            except UsageError as error:
                raise at_line(number, str(error)) from error


def prefix_words(prefix: str | None, host: FleetHost, user: str) -> tuple[str, ...]:
    """The words that run a command on a host; no shell reads them.

    ``user`` is who runs this, if the host has no other. Without a prefix it is ssh, with what
    an inventory says of the host.

    Raises:
        UsageError: the prefix names no host, or what there is no value of.
    """
    address = host.address or host.name
    if prefix is None:
        port = () if host.port is None else ("-p", str(host.port))
        login = ("-l", host.user) if host.user else ()
        return ("ssh", *host.ssh_options, *port, *login, "--", address)
    values = {
        "{host}": address,
        "{name}": host.name,
        "{user}": host.user or user,
        "{port}": str(host.port or _SSH_PORT),
    }
    try:
        words = shlex.split(prefix)
    except ValueError as error:
        raise UsageError(f"--exec: {error}") from error
    for word in words:
        for place in _PLACEHOLDER.findall(word):
            if place not in values:
                raise UsageError(f"--exec: there is no {place}; write {', '.join(values)}")
    if not any(place in word for word in words for place in ("{host}", "{name}")):
        raise UsageError("--exec names no host; write {host} for it, such as 'ssh {host}'")
    return tuple(_PLACEHOLDER.sub(lambda place: values[place[0]], word) for word in words)
