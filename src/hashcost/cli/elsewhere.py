"""Where a command hashes: on this machine, in another runtime (``--in``), behind a prefix.

`calibrate --help` shows the options here, so what they need is imported when one is given.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from hashcost.cli.completion import complete_runtimes
from hashcost.cli.options import with_options

if TYPE_CHECKING:
    from hashcost.hashers.registry import Candidate
    from hashcost.machine.host import Host
    from hashcost.runtimes.elsewhere import Elsewhere

_Command = TypeVar("_Command", bound=Callable[..., Any])


def given_host() -> Host:
    """The system that `main` was given, else the running one."""
    from hashcost.machine.host import this_host

    host: Host | None = click.get_current_context().find_root().obj
    return host or this_host()


def runtime_options(
    told: str = "Hash in node, php, ruby, perl, java or go instead of this Python; PATH is what"
    " starts it.",
    *,
    runtime: str | None = None,
    prefix_told: str = "Run it behind this, such as 'ssh web1' or 'docker exec -i app'; nothing"
    " is installed there, and nothing stays.",
) -> Callable[[_Command], _Command]:
    """The options that say where to hash; ``runtime`` is the usual one, if any is."""
    return with_options(
        click.option(
            *("--in", "runtimes"),
            metavar="RUNTIME[=PATH]" if runtime else "RUNTIME[=PATH][,...]",
            default=runtime,
            show_default=True,
            shell_complete=complete_runtimes,
            help=told,
        ),
        click.option(
            "--project",
            metavar="DIR",
            help="Where the runtime finds the application's libraries.  [default: this folder]",
        ),
        click.option(*("--exec", "prefix"), metavar="PREFIX", help=prefix_told),
    )


def elsewhere_options(named: str = "", *, several: bool = False) -> Callable[[_Command], _Command]:
    """The options; the command takes the ``host`` to measure and its ``pool`` of hashers.

    The argument ``named`` may name a runtime with its library as well. ``several`` says
    whether the command puts runtimes side by side.
    """

    def decorate(command: _Command) -> _Command:
        @functools.wraps(command)
        def run(
            *, runtimes: str | None, project: str | None, prefix: str | None, **given: Any
        ) -> Any:
            names = given.get(named) or ()
            names = [names] if isinstance(names, str) else names
            if not several and runtimes is not None and "," in runtimes:
                raise click.UsageError("--in: this command takes one runtime")
            beside = bool(given.get("every"))
            with _hashing(names, runtimes, project, prefix, beside=beside) as (host, pool):
                return command(host=host, pool=pool, **given)

        return cast("_Command", runtime_options()(run))

    return decorate


def commands_of(runtimes: str) -> dict[str, str | None]:
    """What starts each runtime that ``--in`` names, if it says so."""
    pairs = (each.partition("=") for each in runtimes.split(",") if each)
    return {name: path or None for name, _, path in pairs}


@contextlib.contextmanager
def _hashing(
    names: Iterable[str],
    runtimes: str | None,
    project: str | None,
    prefix: str | None,
    *,
    beside: bool,
) -> Iterator[tuple[Host, tuple[Candidate, ...]]]:
    """The system to measure and the hashers to choose from; their runtimes end afterwards.

    ``beside`` says whether this Python's stand beside those of a runtime on this side.
    """
    from hashcost.hashers.registry import candidates

    labels = [name.partition("=")[0] for name in names]
    labels = [label for label in labels if ":" in label.partition("@")[2]]
    if runtimes is None and not labels:
        for option, value in (("--project", project), ("--exec", prefix)):
            if value is not None:
                raise click.UsageError(
                    f"{option} needs a runtime; name one, for example --in node"
                )
        yield given_host(), candidates()
        return
    import shlex

    from hashcost.runtimes.delivery import Place
    from hashcost.runtimes.elsewhere import Elsewhere, runtimes_named

    commands = commands_of(runtimes or "")
    named = dict.fromkeys((*commands, *runtimes_named(labels)))
    path = next(filter(None, commands.values()), None)
    if path is not None and len(named) > 1:
        raise click.UsageError("--in: PATH starts one runtime; name only one")
    # A path alone only says how to start the runtime of a library that is named.
    asked = [name for name in commands if path is None or name not in runtimes_named(labels)]
    try:
        words = shlex.split(prefix or "")
    except ValueError as error:
        raise click.UsageError(f"--exec: {error}") from error
    if prefix is not None and not words:
        raise click.UsageError("--exec is empty; name what runs a shell, such as 'ssh web1'")
    place = Place(
        prefix=tuple(words),
        project=_folder(project, words),
        command=path,
    )
    with Elsewhere(place) as elsewhere:
        offered = [*_offered(elsewhere, asked, named, {*labels})]
        if words:
            from hashcost.runtimes.remote_host import remote_host

            yield remote_host(given_host(), place.argv), tuple(offered)
        elif asked and not beside:
            yield given_host(), tuple(offered)
        else:
            alike = {candidate.hasher for candidate in offered}
            own = (each for each in candidates() if not asked or each.hasher in alike)
            yield given_host(), (*own, *offered)


def _folder(project: str | None, words: list[str]) -> str | None:
    """The project's folder, which is one of the other side's where there is a prefix."""
    if project is None or words:
        return project
    from pathlib import Path

    from hashcost.core.text import path_name

    path = Path(project)
    if not path.is_dir() and not (path.suffix in {".jar", ".war"} and path.is_file()):
        raise click.UsageError(f"--project: {path_name(project)} is not a folder or a jar")
    return str(Path(project).absolute())


def _offered(
    elsewhere: Elsewhere, asked: list[str], runtimes: Iterable[str], labels: set[str]
) -> Iterator[Candidate]:
    """The hashers of the runtimes that are asked for, and those that are named."""
    from dataclasses import replace

    for runtime in runtimes:
        offered = elsewhere.candidates(runtime)
        mistyped = labels - {candidate.label for candidate in offered}
        # A name that is not there is answered by those that are.
        every = runtime in asked or any(f"@{runtime}:" in label for label in mistyped)
        for candidate in offered:
            if every or candidate.label in labels:
                yield replace(candidate, only_by_label=runtime not in asked)
