"""The system that a command runs on: the one that ``main`` was given, else the running one."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from hashcost.machine.host import Host


WITHOUT_HISTORY: Final = "hashcost.without_history"
"""Key of a context's ``meta``: whether this command neither reads nor adds to past runs."""


def current_host() -> Host:
    """The system, looked up once a command."""
    from hashcost.machine.history import History
    from hashcost.machine.host import this_host

    context = click.get_current_context()
    root = context.find_root()
    if root.obj is None:
        root.obj = this_host()
    host: Host = root.obj
    return replace(host, history=History(None)) if context.meta.get(WITHOUT_HISTORY) else host


def environment() -> Mapping[str, str]:
    """The environment variables of the system; nothing else of it is looked up."""
    context = click.get_current_context(silent=True)
    host: Host | None = None if context is None else context.find_root().obj
    return os.environ if host is None else host.environment
