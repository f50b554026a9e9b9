"""Commands that read secrets, and say nothing of them whatever happens."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import click

from hashcost.cli.host import environment
from hashcost.core.errors import HashcostError

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


def quoting_nothing(command: Callable[_Given, _Result]) -> Callable[_Given, _Result]:
    """Keep the text of an unexpected error back: it may quote what was read."""

    @functools.wraps(command)
    def run(*args: _Given.args, **kwargs: _Given.kwargs) -> _Result:
        try:
            return command(*args, **kwargs)
        except (HashcostError, click.ClickException, click.Abort, BrokenPipeError):
            raise
        except Exception as error:
            if environment().get("HASHCOST_DEBUG"):
                raise
            raise HashcostError(
                f"internal error, please report it: {type(error).__name__}"
                " (HASHCOST_DEBUG=1 shows where, and may show what was read)"
            ) from None

    return run
