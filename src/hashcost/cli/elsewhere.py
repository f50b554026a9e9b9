"""``--in``, ``--project``, ``--command`` and ``--exec``: hashing in another runtime.

`calibrate --help` shows the options here, so what they need is imported when one is given.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from hashcost.cli.completion import complete_runtimes
from hashcost.cli.host import given_host
from hashcost.cli.options import with_options

if TYPE_CHECKING:
    from hashcost.hashers.registry import Candidate
    from hashcost.machine.host import Host
    from hashcost.runtimes.elsewhere import Elsewhere

_Command = TypeVar("_Command", bound=Callable[..., Any])


def runtime_options(
    told: str = "Hash in node, php, ruby, perl, java or go instead of this Python.",
    *,
    runtime: str | None = None,
    prefix_told: str = "Run it behind this, such as 'ssh web1' or 'docker exec -i app'; nothing"
    " is installed there, and nothing stays.",
) -> Callable[[_Command], _Command]:
    """The four options: where to hash; ``runtime`` is the usual one, if any is."""
    return with_options(
        click.option(
            *("--in", "runtimes"),
            metavar="RUNTIME" if runtime else "RUNTIME[,RUNTIME...]",
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
        click.option(
            *("--command", "start"),
            metavar="PATH",
            help="What starts the runtime.  [default: the one in the path]",
        ),
        click.option(*("--exec", "prefix"), metavar="PREFIX", help=prefix_told),
    )


def elsewhere_options(named: str = "", *, several: bool = False) -> Callable[[_Command], _Command]:
    """The four options; the command takes what it may hash with as ``pool``, and its ``host``.

    The argument ``named`` may name a runtime with its library as well. ``several`` says
    whether the command puts runtimes side by side.
    """

    def decorate(command: _Command) -> _Command:
        @functools.wraps(command)
        def run(
            *,
            runtimes: str | None,
            project: str | None,
            start: str | None,
            prefix: str | None,
            **given: Any,
        ) -> Any:
            found = given.get(named) or ()
            names = [found] if isinstance(found, str) else found
            if not several and runtimes is not None and "," in runtimes:
                raise click.UsageError("--in: this command takes one runtime")
            beside = bool(given.get("every"))
            with hashing_elsewhere(names, runtimes, project, start, prefix, beside=beside) as (
                host,
                pool,
            ):
                return command(host=host, pool=pool, **given)

        return cast("_Command", runtime_options()(run))

    return decorate


@contextlib.contextmanager
def hashing_elsewhere(
    names: Iterable[str],
    runtimes: str | None,
    project: str | None,
    command: str | None,
    prefix: str | None,
    *,
    beside: bool = False,
) -> Iterator[tuple[Host, tuple[Candidate, ...]]]:
    """The system to measure and the hashers to choose from; their runtimes end afterwards.

    ``beside`` says whether this Python's stand beside them, where they run on this side.
    """
    wanted = [name for name in names if ":" in name.partition("@")[2].partition("=")[0]]
    given = {"--project": project, "--command": command, "--exec": prefix}
    if runtimes is None and not wanted:
        for option, value in given.items():
            if value is not None:
                raise click.UsageError(
                    f"{option} needs a runtime; name one, for example --in node"
                )
        from hashcost.hashers.registry import candidates

        yield given_host(), candidates()
        return
    import shlex

    from hashcost.runtimes.delivery import Place
    from hashcost.runtimes.elsewhere import Elsewhere, runtimes_named

    asked = [] if runtimes is None else [each for each in runtimes.split(",") if each]
    named = dict.fromkeys((*asked, *runtimes_named(wanted)))
    if command is not None and len(named) > 1:
        raise click.UsageError("--command starts one runtime; name only one")
    try:
        words = shlex.split(prefix or "")
    except ValueError as error:
        raise click.UsageError(f"--exec: {error}") from error
    if prefix is not None and not words:
        raise click.UsageError("--exec is empty; name what runs a shell, such as 'ssh web1'")
    place = Place(prefix=tuple(words), project=_folder(project, words), command=command)
    with Elsewhere(place) as elsewhere:
        pool = _pool(elsewhere, asked, list(named), wanted, beside=beside)
        host = given_host()
        if words:
            from hashcost.runtimes.remote_host import remote_host

            host = remote_host(host, place.argv)
        yield host, pool


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


def _pool(
    elsewhere: Elsewhere,
    asked: list[str],
    named: list[str],
    wanted: list[str],
    *,
    beside: bool,
) -> tuple[Candidate, ...]:
    """What can be hashed with: what is asked for, and this Python unless others are."""
    from dataclasses import replace

    from hashcost.hashers.registry import candidates

    labels = {name.partition("=")[0] for name in wanted}
    pool: list[Candidate] = []
    for runtime in named:
        offered = elsewhere.candidates(runtime)
        known = {each.label for each in offered}
        mistyped = [each for each in labels - known if f"@{runtime}:" in each]
        # A name that is not there is answered by those that are.
        every = runtime in asked or bool(mistyped)
        pool += [
            replace(each, only_by_label=runtime not in asked)
            for each in offered
            if every or each.label in labels
        ]
    if elsewhere.place.prefix or (asked and not beside):
        return tuple(pool)
    known_there = {each.hasher for each in pool}
    own = (each for each in candidates() if not asked or each.hasher in known_there)
    return (*own, *pool)
