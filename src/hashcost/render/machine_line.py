"""Where, when and with what something was measured, in a line or two. Pure."""

from __future__ import annotations

import datetime as dt

from hashcost.core.machine import Machine, Tool


def processors(machine: Machine) -> str:
    """How many CPUs a machine has, and which."""
    return f"{machine.cpu_count} × {machine.cpu_model or machine.architecture}"


def machine_line(machine: Machine) -> str:
    """What matters of a machine for hashing, on one line."""
    parts = [processors(machine)]
    if machine.cpu_limit is not None:
        parts.append(f"limited to {machine.cpu_limit:g} CPUs")
    parts += machine.cpu_flags
    if machine.virtualization is not None:
        parts.append(machine.virtualization)
    return ", ".join(parts)


def tool_name(tool: Tool) -> str:
    """The program that measured, with its version."""
    return f"{tool.name} {tool.version}"


def place(machine: Machine, tool: Tool) -> tuple[str, str]:
    """Two lines on where and with what something was measured."""
    return (
        machine_line(machine),
        ", ".join((machine.python, machine.openssl, machine.os, tool_name(tool))),
    )


def minute(moment: dt.datetime) -> str:
    """When something was measured, in universal time."""
    return f"{moment.astimezone(dt.UTC):%Y-%m-%d %H:%M}"
