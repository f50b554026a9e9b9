"""The system that a command runs on, which `main` was given or which is the running one."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

if TYPE_CHECKING:
    from hashcost.machine.host import Host

_Command = TypeVar("_Command", bound=Callable[..., Any])


def given_host() -> Host:
    """The system that `main` was given, else the running one."""
    from hashcost.machine.host import this_host

    host: Host | None = click.get_current_context().find_root().obj
    return host or this_host()


def host_option(command: _Command) -> _Command:
    """``--no-history``; the command takes the system that it measures as ``host``."""

    @functools.wraps(command)
    def run(*, no_history: bool, host: Host | None = None, **given: Any) -> Any:
        from hashcost.machine.history import History

        host = host or given_host()
        if no_history:
            host = replace(host, history=History(None))
        return command(host=host, **given)

    option = click.option(
        "--no-history", is_flag=True, help="Neither read nor update the history of earlier runs."
    )
    return cast("_Command", option(run))
