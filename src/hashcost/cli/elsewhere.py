"""Where a command hashes: on this machine, in another runtime (``--in``), behind a prefix.

`calibrate --help` shows the options here, so what they need is imported when one is given.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import click

from hashcost.cli.completion import complete_runtimes
from hashcost.cli.options import with_options
from hashcost.cli.process import obeying_signals

if TYPE_CHECKING:
    from hashcost.hashers.registry import Candidate
    from hashcost.machine.host import Host
_Command = TypeVar("_Command", bound=Callable[..., Any])


class Where(NamedTuple):
    """The system to measure, and the hashers to choose from."""

    host: Host
    pool: tuple[Candidate, ...]


def runtime_options(
    help_in: str = "Hash in node, php, ruby, perl, java or go, started by PATH.",
    *,
    runtime: str | None = None,
    help_exec: str = "Run it behind this, such as 'ssh web1'; nothing stays there.",
) -> Callable[[_Command], _Command]:
    """The options that say where to hash; ``runtime`` is the default, if any."""
    return with_options(
        click.option(
            *("--in", "runtimes"),
            metavar="RUNTIME[=PATH]" if runtime else "RUNTIME[=PATH][,...]",
            default=runtime,
            show_default=True,
            shell_complete=complete_runtimes,
            help=help_in,
        ),
        click.option(
            "--project",
            metavar="DIR",
            help="The application's folder, where the runtime finds its libraries.",
        ),
        click.option(*("--exec", "prefix"), metavar="PREFIX", help=help_exec),
    )


def elsewhere_options(named: str = "", *, several: bool = False) -> Callable[[_Command], _Command]:
    """The options, which the command takes as one `Where`, its argument ``where``.

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
            labels = [name.partition("=")[0] for name in names]
            labels = [label for label in labels if ":" in label.partition("@")[2]]
            if not several and runtimes is not None and "," in runtimes:
                raise click.UsageError("--in: this command takes one runtime")
            if runtimes is not None or labels:
                every = bool(given.get("every"))
                with _elsewhere(labels, runtimes or "", project, prefix, every=every) as where:
                    return command(where=where, **given)
            for option, value in (("--project", project), ("--exec", prefix)):
                if value is not None:
                    raise click.UsageError(
                        f"{option} needs a runtime; name one, for example --in node"
                    )
            return command(where=here(), **given)

        return cast("_Command", runtime_options()(run))

    return decorate


def here() -> Where:
    """This machine, with the hashers of this Python."""
    from hashcost.hashers.registry import candidates
    from hashcost.machine.host import this_host

    return Where(this_host(), candidates())


@contextlib.contextmanager
def _elsewhere(
    labels: list[str], runtimes: str, project: str | None, prefix: str | None, *, every: bool
) -> Iterator[Where]:
    """Start the runtimes that are named; they end afterwards.

    With ``every``, this Python's hashers are added to those of a runtime on this side.
    """
    import shlex
    from pathlib import Path

    from msgspec.structs import replace

    from hashcost.core.text import path_name
    from hashcost.runtimes.processes import Runtimes, runtimes_named
    from hashcost.runtimes.session import end_all
    from hashcost.runtimes.table import Location

    parts = (part.partition("=") for part in runtimes.split(",") if part)
    commands, of_labels = {name: path for name, _, path in parts}, runtimes_named(labels)
    named = dict.fromkeys((*commands, *of_labels))
    path = next(filter(None, commands.values()), None)
    if path is not None and len(named) > 1:
        raise click.UsageError("--in: PATH starts one runtime; name only one")
    # A path alone only says how to start the runtime of a library that is named.
    asked = [name for name in commands if path is None or name not in of_labels]
    try:
        words = tuple(shlex.split(prefix or ""))
    except ValueError as error:
        raise click.UsageError(f"--exec: {error}") from error
    if prefix is not None and not words:
        raise click.UsageError("--exec is empty; name what runs a shell, such as 'ssh web1'")
    if project is not None and not words:
        folder = Path(project)
        if not folder.is_dir() and not (folder.suffix in {".jar", ".war"} and folder.is_file()):
            raise click.UsageError(f"--project: {path_name(folder)} is not a folder or a jar")
        project = str(folder.absolute())
    location = Location(prefix=words, project=project, command=path)
    # A runtime would first finish its hash.
    with obeying_signals(at_end=end_all), Runtimes(location) as started:
        pool: list[Candidate] = []
        for runtime in named:
            offered = started.candidates(runtime)
            mistyped = {*labels} - {candidate.label for candidate in offered}
            # A name that is not there is answered by those that are.
            whole = runtime in asked or any(f"@{runtime}:" in label for label in mistyped)
            pool += (
                replace(candidate, only_by_label=runtime not in asked)
                for candidate in offered
                if whole or candidate.label in labels
            )
        host, own = here()
        if words:
            from hashcost.runtimes.remote_host import remote_host

            host = remote_host(host, location.argv)
        elif every or not asked:
            hashers = {candidate.hasher for candidate in pool}
            pool = [*(one for one in own if not asked or one.hasher in hashers), *pool]
        yield Where(host, tuple(pool))
