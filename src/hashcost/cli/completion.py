"""Complete a command line in a shell, without timing anything."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, TypeAlias

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    _Items: TypeAlias = list[CompletionItem] | list[str]

SHELLS: Final = ("bash", "zsh", "fish")


def answer(command: click.Command, variable: str, instruction: str) -> int:
    """Print the completions that a shell asks for, if any, and return the exit code."""
    from click.shell_completion import shell_complete

    try:
        return shell_complete(command, {}, "calibrate", variable, instruction)
    except (KeyError, ValueError):  # Another variable of the protocol is missing.
        return 2


def complete_hashers(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """Hashers, and once an ``@`` is typed their implementations, also of every runtime."""
    from hashcost.hashers.registry import candidates
    from hashcost.runtimes.table import RUNTIMES

    # Names with libraries are many, and most people need none.
    if "@" not in incomplete:
        return _matching((candidate.hasher for candidate in candidates()), incomplete)
    labels = [candidate.label for candidate in candidates()]
    for name, runtime in RUNTIMES.items():
        for library, facts in runtime.libraries.items():
            labels += [f"{hasher}@{name}:{library}" for hasher in facts.hashers]
    return _matching(labels, incomplete)


complete_files: Final = click.Path().shell_complete
"""Files and folders."""


def complete_costs(context: click.Context, parameter: click.Parameter, incomplete: str) -> _Items:
    """Files of an application, or hashers whose cost follows."""
    # With an application, the arguments are its files.
    if not context.params.get("app"):
        hashers = complete_hashers(context, parameter, incomplete)
        if hashers:
            return hashers
    return complete_files(context, parameter, incomplete)


def complete_runtimes(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """Runtimes that hashers of other languages run in."""
    from hashcost.runtimes.table import RUNTIMES

    return _matching(RUNTIMES, incomplete)


def complete_apps(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """Applications whose configuration is known."""
    from hashcost.apps.registry import app_names

    return _matching(app_names(), incomplete)


def complete_devices(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """Devices that an attacker guesses on."""
    from hashcost.strength.attackers.device import device_names

    return _matching((*device_names(), "none"), incomplete)


def complete_policies(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> _Items:
    """Policies by name, or the files that hold one."""
    from hashcost.strength.policies.catalogue import policy_names

    names = _matching((*policy_names(), "none"), incomplete)
    return names or complete_files(context, parameter, incomplete)


def complete_listed(context: click.Context, parameter: click.Parameter, incomplete: str) -> _Items:
    """Names of the kind that `calibrate list` is asked for."""
    kind = context.params["kind"]
    if kind == "apps":
        return complete_apps(context, parameter, incomplete)
    if kind == "gpus":
        return complete_devices(context, parameter, incomplete)
    if kind == "policies":
        return complete_policies(context, parameter, incomplete)
    return complete_hashers(context, parameter, incomplete)


def _matching(names: Iterable[str], incomplete: str) -> list[str]:
    return [name for name in dict.fromkeys(names) if name.startswith(incomplete)]
