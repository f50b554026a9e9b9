"""What a shell is offered while somebody types: names that can be had without timing anything."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import click
    from click.shell_completion import CompletionItem

SHELLS: Final = ("bash", "zsh", "fish")


def answer(command: click.Command, variable: str, instruction: str) -> int:
    """Print what a shell asks for, and nothing if it asks for something else; the exit code."""
    from click.shell_completion import shell_complete

    try:
        return shell_complete(command, {}, "calibrate", variable, instruction)
    except (KeyError, ValueError):  # Another variable of the protocol is missing.
        return 2


def complete_hashers(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Hashers, and once an ``@`` is typed their implementations."""
    from hashcost.hashers.registry import candidates

    known = candidates()
    if "@" in incomplete:
        return _matching((*(each.label for each in known), *_labels_elsewhere()), incomplete)
    return _matching((each.hasher for each in known), incomplete)


def complete_runtimes(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Runtimes; behind a comma, one more."""
    from hashcost.runtimes.table import RUNTIMES

    *before, last = incomplete.split(",")
    found = (",".join((*before, name)) for name in RUNTIMES if name not in before)
    return _matching(found, ",".join((*before, last)))


def _labels_elsewhere() -> list[str]:
    """The implementations of every runtime, which is not started for it."""
    from hashcost.runtimes.table import RUNTIMES

    return [
        f"{hasher}@{name}:{library}"
        for name, runtime in RUNTIMES.items()
        for library, facts in runtime.libraries.items()
        for hasher in facts.hashers
    ]


def complete_costs(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Files of an application, or hashers whose cost follows."""
    if context.params.get("app"):
        return _files(incomplete)
    return complete_hashers(context, parameter, incomplete) or _files(incomplete)


def complete_files(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Files and folders."""
    return _files(incomplete)


def complete_apps(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Applications."""
    from hashcost.apps.registry import app_names

    return _matching(app_names(), incomplete)


def complete_policies(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Policies, and files where no name begins so."""
    from hashcost.worth.policies.catalogue import NONE, policy_names

    return _matching((*policy_names(), NONE), incomplete) or _files(incomplete)


def complete_devices(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Devices that guess."""
    from hashcost.worth.attackers.device import device_names

    return _matching((*device_names(), "none"), incomplete)


def _matching(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(name) for name in dict.fromkeys(names) if name.startswith(incomplete)]


def _files(incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]
