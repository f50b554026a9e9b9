"""The system that a command runs on: the one that ``main`` was given, else the running one."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from hashcost.machine.host import Host


def current_host() -> Host:
    """The system, looked up once a command."""
    from hashcost.machine.host import this_host

    context = click.get_current_context().find_root()
    if context.obj is None:
        context.obj = this_host()
    host: Host = context.obj
    return host


def environment() -> Mapping[str, str]:
    """The environment variables of the system; nothing else of it is looked up."""
    context = click.get_current_context(silent=True)
    host: Host | None = None if context is None else context.find_root().obj
    return os.environ if host is None else host.environment
