"""Complete a command line in a shell, without timing anything."""

from collections.abc import Callable, Iterable
from typing import Any

import click

SHELLS = ("bash", "zsh", "fish")
complete_files = click.Path().shell_complete
"""Files and folders."""


def answer(command: click.Command, variable: str, instruction: str) -> int:
    """Print the completions that a shell asks for, if any, and return the exit code."""
    from click.shell_completion import shell_complete

    try:
        return shell_complete(command, {}, "calibrate", variable, instruction)
    except (KeyError, ValueError):  # Another variable of the protocol is missing.
        return 2


def completer(
    kind: str = "", *, or_files: bool = False
) -> Callable[[click.Context, click.Parameter, str], list[Any]]:
    """Complete names of a kind: ``apps``, ``gpus``, ``hashers``, ``policies``, ``runtimes``.

    By default the kind is what `calibrate list` is asked for. With ``or_files``, files stand for
    names that are not known, and for all of them once an application is named.
    """

    def complete(context: click.Context, parameter: click.Parameter, typed: str) -> list[Any]:
        asked = kind or context.params["kind"]
        takes_files = or_files or asked == "policies"
        matching = []
        # With an application, the arguments are its files.
        if not (or_files and context.params.get("app")):
            names = dict.fromkeys(_names(asked, typed))
            matching = [name for name in names if name.startswith(typed)]
        if takes_files and not matching:
            return complete_files(context, parameter, typed)
        return matching

    return complete


def _names(kind: str, typed: str) -> Iterable[str]:
    """All names of a kind; only what knows them is imported."""
    if kind == "apps":
        from hashcost.apps.registry import app_names

        return app_names()
    if kind == "gpus":
        from hashcost.strength.attackers.device import device_names

        return (*device_names(), "none")
    if kind == "policies":
        from hashcost.strength.policies.catalogue import policy_names

        return (*policy_names(), "none")
    from hashcost.runtimes.table import RUNTIMES

    if kind == "runtimes":
        return RUNTIMES
    from hashcost.hashers.registry import candidates

    # Names with libraries are many, and most people need none.
    if "@" not in typed:
        return [candidate.hasher for candidate in candidates()]
    labels = [candidate.label for candidate in candidates()]
    for name, runtime in RUNTIMES.items():
        for library, facts in runtime.libraries.items():
            labels += [f"{hasher}@{name}:{library}" for hasher in facts.hashers]
    return labels
