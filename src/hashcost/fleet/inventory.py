"""Hosts of an Ansible inventory, as `ansible-inventory --list` tells them."""

import shlex
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from hashcost.core.errors import UnavailableError, UnreadableInputError, UsageError
from hashcost.core.text import path_name, printable, quoted
from hashcost.fleet.hosts import FleetHost

_PROGRAM: Final = "ansible-inventory"
_PATIENCE_SECONDS: Final = 120.0
"""A cloud may be asked."""


class _Group(msgspec.Struct):
    hosts: list[str] = []
    children: list[str] = []


class _Variables(msgspec.Struct):
    hostvars: dict[str, dict[str, Any]] = {}


def inventory_hosts(inventory: Path, limit: str | None) -> tuple[FleetHost, ...]:
    """The hosts of a file, a script or a folder that match a pattern, in its order.

    Raises:
        UnavailableError: Ansible is not here.
        UnreadableInputError: it cannot read the inventory, or there is no host in it.
        UsageError: a host has a name that is none.
    """
    command = [_PROGRAM, f"--inventory={inventory}", "--list"]
    command += [] if limit is None else [f"--limit={limit}"]
    try:
        ended = subprocess.run(  # noqa: S603 (a program and its words)
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PATIENCE_SECONDS,
            check=False,
        )
    except FileNotFoundError as error:
        raise UnavailableError(
            f"--inventory: there is no {_PROGRAM} in the path; install it with"
            " `pip install ansible-core`, or name the hosts"
        ) from error
    except subprocess.TimeoutExpired as error:
        raise UnavailableError(
            f"--inventory: {_PROGRAM} has not answered for {_PATIENCE_SECONDS:.0f} s"
        ) from error
    said = _said(ended.stderr)
    if ended.returncode:
        raise UnreadableInputError(f"--inventory: {_PROGRAM}: {said or 'it gives no reason'}")
    hosts = hosts_of(ended.stdout)
    if not hosts:
        pattern = "" if limit is None else f" that matches --limit {quoted(limit, 60)}"
        why = f" ({said})" if said else ""
        raise UsageError(f"--inventory: {path_name(inventory)} has no host{pattern}{why}")
    return hosts


def hosts_of(listed: bytes) -> tuple[FleetHost, ...]:
    """The hosts in what `ansible-inventory --list` prints.

    Raises:
        UnreadableInputError: it is something else.
        UsageError: a host has a name that is none.
    """
    try:
        parts = msgspec.json.decode(listed, type=dict[str, msgspec.Raw])
        meta = msgspec.json.decode(parts.pop("_meta", msgspec.Raw(b"{}")), type=_Variables)
        groups = {name: msgspec.json.decode(part, type=_Group) for name, part in parts.items()}
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UnreadableInputError(
            f"--inventory: {_PROGRAM} prints no inventory: {printable(str(error))}"
        ) from error
    names = dict.fromkeys(_names("all", groups, set()))
    return tuple(_host(name, meta.hostvars.get(name, {})) for name in names)


def _names(group: str, groups: Mapping[str, _Group], seen: set[str]) -> Iterator[str]:
    """The hosts of a group and of those in it."""
    if group not in groups or group in seen:
        return
    seen.add(group)
    yield from groups[group].hosts
    for child in groups[group].children:
        yield from _names(child, groups, seen)


def _host(name: str, variables: Mapping[str, Any]) -> FleetHost:
    def told(variable: str) -> str:
        return str(variables.get(f"ansible_{variable}", "") or "")

    port, key = told("port"), told("ssh_private_key_file")
    if port and not port.isdecimal():
        raise UsageError(f"--inventory: {quoted(port, 60)} of {name} is not a port")
    try:
        options = shlex.split(f"{told('ssh_common_args')} {told('ssh_extra_args')}")
    except ValueError as error:
        raise UsageError(f"--inventory: the ssh arguments of {name}: {error}") from error
    return FleetHost(
        name=name,
        address=told("host") or told("ssh_host"),
        user=told("user") or told("ssh_user"),
        port=int(port) if port else None,
        ssh_options=(*(("-i", key) if key else ()), *options),
    )


def _said(stderr: bytes) -> str:
    """The line of standard error that matters: the last error, or the last at all."""
    lines = [line for line in stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith(("ERROR", "[ERROR]"))]
    return printable((errors or lines or [""])[-1])[:300]
