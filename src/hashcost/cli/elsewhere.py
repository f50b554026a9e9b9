"""Where a command hashes: on this machine, in another runtime (``--in``), behind a prefix.

`calibrate --help` shows the options here, so what they need is imported when one is given.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from hashcost.cli.completion import completer
from hashcost.cli.options import with_options
from hashcost.cli.process import obeying_signals

if TYPE_CHECKING:
    from hashcost.hashers.registry import Candidate
    from hashcost.machine.host import Host
    from hashcost.runtimes.processes import Runtimes
    from hashcost.runtimes.table import Location
_Function = TypeVar("_Function", bound=Callable[..., Any])


@dataclass(frozen=True, kw_only=True)
class RuntimeOptions:
    """The options that say where to hash."""

    runtimes: str | None
    """``RUNTIME``, ``RUNTIME=PATH`` or several of them, with commas between."""
    project: str | None
    prefix: str | None


def runtime_options(
    help_in: str = "Hash in node, php, ruby, perl, java or go, started by PATH.",
    *,
    runtime: str | None = None,
    help_exec: str = "Run it behind this, such as 'ssh web1'; nothing stays there.",
) -> Callable[[_Function], _Function]:
    """The options of `RuntimeOptions`; ``runtime`` is the default, if any."""
    return with_options(
        click.option(
            *("--in", "runtimes"),
            metavar="RUNTIME[=PATH]" if runtime else "RUNTIME[=PATH][,...]",
            default=runtime,
            show_default=True,
            shell_complete=completer("runtimes"),
            help=help_in,
        ),
        click.option(
            "--project",
            metavar="DIR",
            help="The application's folder, where the runtime finds its libraries.",
        ),
        click.option(*("--exec", "prefix"), metavar="PREFIX", help=help_exec),
    )


@dataclass(frozen=True)
class Where:
    """The system to measure, and the hashers to choose from."""

    host: Host
    pool: tuple[Candidate, ...]
    runtimes: Runtimes | None = None
    """The runtimes of those hashers; `None` if they are all this Python's."""

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Let the hashers run; the runtimes that this starts end with the block."""
        if self.runtimes is None:
            yield
            return
        from hashcost.runtimes.session import end_all

        # A runtime would first finish its hash.
        with obeying_signals(at_end=end_all), self.runtimes:
            yield


def here() -> Where:
    """This machine, with the hashers of this Python."""
    from hashcost.hashers.registry import candidates
    from hashcost.machine.host import this_host

    return Where(this_host(), candidates())


def where_asked(
    asked: RuntimeOptions, names: Sequence[str] = (), *, several: bool = False
) -> Where:
    """Find the system and the hashers that the options name.

    Args:
        asked: The options.
        names: What else was typed, which may name a runtime's library, as in
            ``bcrypt@node:bcryptjs``.
        several: Whether the command puts runtimes side by side.

    Raises:
        UsageError: the options do not go together, or a runtime is unknown.
    """
    labels = [name.partition("=")[0] for name in names]
    # A library of this Python has no runtime before it.
    labels = [label for label in labels if ":" in label.partition("@")[2]]
    if not several and asked.runtimes is not None and "," in asked.runtimes:
        raise click.UsageError("--in: this command takes one runtime")
    if asked.runtimes is not None or labels:
        return _elsewhere(asked, labels)
    for option, value in (("--project", asked.project), ("--exec", asked.prefix)):
        if value is not None:
            raise click.UsageError(f"{option} needs a runtime; name one, for example --in node")
    return here()


def _elsewhere(asked: RuntimeOptions, labels: Sequence[str]) -> Where:
    """Find the hashers of the named runtimes, and the machine that they run on.

    This Python's are added only beside a library that is named with its runtime.
    """
    from hashcost.runtimes.processes import Runtimes, runtimes_named

    named = []
    command = None
    for part in filter(None, (asked.runtimes or "").split(",")):
        name, _, path = part.partition("=")
        named.append(name)
        command = path or command
    of_labels = runtimes_named(labels)
    runtimes = dict.fromkeys((*named, *of_labels))
    if command is not None and len(runtimes) > 1:
        raise click.UsageError("--in: PATH starts one runtime; name only one")
    # A path alone only says how to start the runtime of a library that is named.
    asked_whole = [name for name in named if command is None or name not in of_labels]
    location = _location(asked, command)
    started = Runtimes(location)
    pool: list[Candidate] = []
    for runtime in runtimes:
        pool += _offered(started, runtime, labels, is_asked=runtime in asked_whole)
    own = here()
    host = own.host
    if location.prefix:
        host = _host_behind(host, location)
    elif not asked_whole:
        pool = [*own.pool, *pool]
    return Where(host, tuple(pool), started)


def _location(asked: RuntimeOptions, command: str | None) -> Location:
    """The place where runtimes start, by the options; ``command`` starts the only one."""
    import shlex
    from pathlib import Path

    from hashcost.core.text import path_name
    from hashcost.runtimes.table import Location

    try:
        words = tuple(shlex.split(asked.prefix or ""))
    except ValueError as error:
        raise click.UsageError(f"--exec: {error}") from error
    if asked.prefix is not None and not words:
        raise click.UsageError("--exec is empty; name what runs a shell, such as 'ssh web1'")
    project = asked.project
    # Behind a prefix, only the system there knows whether it exists.
    if project is not None and not words:
        folder = Path(project)
        is_jar = folder.suffix in {".jar", ".war"} and folder.is_file()
        if not folder.is_dir() and not is_jar:
            raise click.UsageError(f"--project: {path_name(folder)} is not a folder or a jar")
        project = str(folder.absolute())
    return Location(prefix=words, project=project, command=command)


def _offered(
    started: Runtimes, runtime: str, labels: Sequence[str], *, is_asked: bool
) -> list[Candidate]:
    """The hashers of a runtime: all if it ``is_asked`` for, else those of the ``labels``."""
    from msgspec.structs import replace

    offered = started.candidates(runtime)
    mistyped = set(labels).difference(candidate.label for candidate in offered)
    # A name that is not there is answered by those that are.
    whole = is_asked or any(f"@{runtime}:" in label for label in mistyped)
    return [
        replace(candidate, only_by_label=not is_asked)
        for candidate in offered
        if whole or candidate.label in labels
    ]


def _host_behind(host: Host, location: Location) -> Host:
    """The machine behind a prefix, which a shell there describes."""
    from hashcost.runtimes.remote_host import remote_host
    from hashcost.runtimes.session import end_all

    with obeying_signals(at_end=end_all):
        return remote_host(host, location.argv)
