"""Hosts by name, from a file or an Ansible inventory, and the command for a shell on each."""

import re
import shlex
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import msgspec

from hashcost.core.decoding import UNDECODABLE
from hashcost.core.errors import UnavailableError, UnreadableInputError, UsageError, at_line
from hashcost.core.text import path_name, printable, quoted
from hashcost.core.units import parse_count
from hashcost.machine.environment import child_environment

# A host, as ssh, docker and kubectl name it. None begins like an option, also behind a user or a
# kind of resource, and a shell on the way finds nothing in it to obey.
_NAME: Final = re.compile(r"(?!.*[@/]-)[A-Za-z0-9_\[:][A-Za-z0-9_.@:/%\[\]+-]*")
# Characters that the name of its file may have.
_LONGEST: Final = 200
_PLACEHOLDER: Final = re.compile(r"(?<!\{)\{[A-Za-z_]+\}(?!\})")
_SSH_PORT: Final = 22
_LAST_PORT: Final = 65535
_PROGRAM: Final = "ansible-inventory"
# Seconds for the inventory; it may query a cloud.
_TIMEOUT_SECONDS: Final = 120.0


class FleetHost(msgspec.Struct, frozen=True, kw_only=True):
    """A host, and what an inventory says of the way there."""

    name: str
    address: str = ""
    """Where it is reached, if not by its name."""
    user: str = ""
    port: int | None = None
    ssh_options: tuple[str, ...] = ()
    """For the usual prefix: a key, a jump host."""

    def __post_init__(self) -> None:
        if not _is_name(self.name):
            raise UsageError(f"{quoted(self.name, 60)} is not the name of a host")
        for text in (self.address, self.user):
            if text and not _is_name(text):
                raise UsageError(f"{quoted(text, 60)} of {self.name} is not the name of a host")

    @property
    def file_name(self) -> str:
        """The name of its profile: each host has its own, in the same folder."""
        return f"{quote(self.name, safe='')}.json"


def _is_name(text: str) -> bool:
    return _NAME.fullmatch(text) is not None and len(quote(text, safe="")) <= _LONGEST


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
        UnreadableInputError: a line is not a name.
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

    ``user`` is who runs this, if the host has no other; empty if the system has no name for
    that. Without a prefix it is ssh, with what an inventory says of the host.

    Raises:
        UsageError: the prefix does not name the host, or has a field without a value.
    """
    address = host.address or host.name
    if prefix is None:
        command = ["ssh", *host.ssh_options]
        # What the inventory leaves out is left to the configuration of ssh.
        if host.port is not None:
            command += ["-p", str(host.port)]
        if host.user:
            command += ["-l", host.user]
        return (*command, "--", address)
    values = {
        "{host}": address,
        "{name}": host.name,
        "{user}": host.user or user,
        "{port}": str(host.port or _SSH_PORT),
    }
    try:
        # Split once here, so that no shell ever sees a name.
        words = shlex.split(prefix)
    except ValueError as error:
        raise UsageError(f"--exec: {error}") from error
    for word in words:
        for place in _PLACEHOLDER.findall(word):
            if place not in values:
                raise UsageError(f"--exec: there is no {place}; write {', '.join(values)}")
            # An empty word would shift the meaning of those that follow.
            if not values[place]:
                raise UsageError(f"--exec: this user has no name here; write one for {place}")
    if not any(place in word for word in words for place in ("{host}", "{name}")):
        raise UsageError("--exec names no host; write {host} for it, such as 'ssh {host}'")
    return tuple(_PLACEHOLDER.sub(lambda place: values[place[0]], word) for word in words)


class _Group(msgspec.Struct):
    """A group of an inventory; the one called ``_meta`` has the variables of all hosts."""

    hosts: list[str] = []
    hostvars: dict[str, dict[str, Any]] = {}


def inventory_hosts(inventory: Path, limit: str | None) -> tuple[FleetHost, ...]:
    """The hosts of a file, a script or a folder that match a pattern, in its order.

    Raises:
        UnavailableError: Ansible is not installed.
        UnreadableInputError: it cannot read the inventory, or there is no host in it.
        UsageError: a host has an invalid name.
    """
    command = [_PROGRAM, f"--inventory={inventory}", "--list"]
    if limit is not None:
        command.append(f"--limit={limit}")
    try:
        ended = subprocess.run(  # noqa: S603 (a program and its words)
            command,
            env=child_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIMEOUT_SECONDS,
            check=False,
        )
    except FileNotFoundError as error:
        raise UnavailableError(
            f"--inventory: there is no {_PROGRAM} in the path; install it with"
            " `pip install ansible-core`, or name the hosts"
        ) from error
    except subprocess.TimeoutExpired as error:
        raise UnavailableError(
            f"--inventory: {_PROGRAM} has not answered for {_TIMEOUT_SECONDS:.0f} s"
        ) from error
    reason = _last_error(ended.stderr.decode("utf-8", "replace"))
    if ended.returncode:
        why = reason or "it gives no reason"
        raise UnreadableInputError(f"--inventory: {_PROGRAM}: {why}")
    hosts = hosts_of(ended.stdout)
    if not hosts:
        lacks = "has no host"
        if limit is not None:
            lacks = f"has no host that matches --limit {quoted(limit, 60)}"
        if reason:
            lacks = f"{lacks} ({reason})"
        raise UsageError(f"--inventory: {path_name(inventory)} {lacks}")
    return hosts


def _last_error(text: str) -> str:
    """The last line of what Ansible wrote, or the last that it calls an error."""
    last = last_error = ""
    for line in text.splitlines():
        if line.strip():
            last = line
            if line.startswith(("ERROR", "[ERROR]")):
                last_error = line
    return printable(last_error or last)[:300]


def hosts_of(listed: bytes) -> tuple[FleetHost, ...]:
    """The hosts in what `ansible-inventory --list` prints.

    Raises:
        UnreadableInputError: it is something else.
        UsageError: a host has an invalid name.
    """
    try:
        groups = msgspec.json.decode(listed, type=dict[str, _Group])
    except UNDECODABLE as error:
        raise UnreadableInputError(
            f"--inventory: {_PROGRAM} prints no inventory: {printable(str(error))}"
        ) from error
    # Ansible lists the variables of all hosts beside its groups.
    variables = groups.pop("_meta", _Group()).hostvars
    names = dict.fromkeys(name for group in groups.values() for name in group.hosts)
    return tuple(_host(name, variables.get(name, {})) for name in names)


def _host(name: str, variables: dict[str, Any]) -> FleetHost:
    """A host with its variables of an inventory."""

    def value(*names: str) -> str:
        for variable in names:
            set_to = variables.get(f"ansible_{variable}")
            if set_to:
                return str(set_to)
        return ""

    port = value("port")
    number = parse_count(port, _LAST_PORT)
    # A template that Ansible has not filled in, for example.
    if port and not number:
        raise UsageError(f"--inventory: {quoted(port, 60)} of {name} is not a port")
    try:
        options = shlex.split(f"{value('ssh_common_args')} {value('ssh_extra_args')}")
    except ValueError as error:
        raise UsageError(f"--inventory: the ssh arguments of {name}: {error}") from error
    key = value("ssh_private_key_file")
    if key:
        options = ["-i", key, *options]
    return FleetHost(
        name=name,
        address=value("host", "ssh_host"),
        user=value("user", "ssh_user"),
        port=number,
        ssh_options=tuple(options),
    )
