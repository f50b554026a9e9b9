"""Complete a command line in a shell, without timing anything."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from operator import attrgetter
from typing import TYPE_CHECKING, Final, TypeAlias

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    _Items: TypeAlias = list[CompletionItem] | list[str]
    _Complete: TypeAlias = Callable[[click.Context, click.Parameter, str], _Items]

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

    if "@" not in incomplete:
        return _matching((candidate.hasher for candidate in candidates()), incomplete)
    elsewhere = (
        f"{hasher}@{name}:{library}"
        for name, runtime in RUNTIMES.items()
        for library, facts in runtime.libraries.items()
        for hasher in facts.hashers
    )
    return _matching((*(candidate.label for candidate in candidates()), *elsewhere), incomplete)


def complete_costs(context: click.Context, parameter: click.Parameter, incomplete: str) -> _Items:
    """Files of an application, or hashers whose cost follows."""
    is_cost = not context.params.get("app")
    hashers = complete_hashers(context, parameter, incomplete) if is_cost else []
    return hashers or complete_files(context, parameter, incomplete)


complete_files: Final = click.Path().shell_complete
"""Files and folders."""


def _names_of(module: str, function: str, *more: str, files: bool = False) -> _Complete:
    """Offer the names that a function of a module lists, or files if no name matches."""

    def complete(context: click.Context, parameter: click.Parameter, incomplete: str) -> _Items:
        names = attrgetter(function)(import_module(f"hashcost.{module}"))()
        matching = _matching((*names, *more), incomplete)
        return matching or (complete_files(context, parameter, incomplete) if files else [])

    return complete


complete_runtimes: Final = _names_of("runtimes.table", "RUNTIMES.keys")
complete_apps: Final = _names_of("apps.registry", "app_names")
complete_devices: Final = _names_of("strength.attackers.device", "device_names", "none")
complete_policies: Final = _names_of(
    "strength.policies.catalogue", "policy_names", "none", files=True
)
_LISTED: Final = {
    "apps": complete_apps,
    "gpus": complete_devices,
    "hashers": complete_hashers,
    "policies": complete_policies,
}


def complete_listed(context: click.Context, parameter: click.Parameter, incomplete: str) -> _Items:
    """Names of the kind that `calibrate list` is asked for."""
    return _LISTED[context.params["kind"]](context, parameter, incomplete)


def _matching(names: Iterable[str], incomplete: str) -> list[str]:
    return [name for name in dict.fromkeys(names) if name.startswith(incomplete)]
