"""Runtimes: how each is started, where, and which libraries it offers for which hasher."""

import datetime as dt
from typing import Final, Literal

import msgspec

from hashcost.core.errors import UsageError
from hashcost.core.measurement import Params
from hashcost.core.package_data import data_table, data_text
from hashcost.core.text import hint, quoted


class RuntimeLibrary(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A library of a runtime, as ``bcrypt@node:bcryptjs`` names it."""

    hashers: tuple[str, ...]
    install: str = ""
    """The command that adds it to a project; empty if it is part of the runtime."""
    warm_seconds: float = 0.0
    """Least seconds of untimed hashing until it is as fast as it gets."""
    drift: float = 0.0
    """How far fresh processes disagree: a compiler decides anew in each."""
    drifts: dict[str, float] = {}
    """The drift of single hashers, where it differs."""
    measured: dt.date | None = None
    """The day on which warm-up and drift were measured."""
    minimum: Params = {}
    maximum: Params = {}
    """Where the library's range of a knob is narrower than the algorithm's."""


class Runtime(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a runtime is started with its probe, and its libraries, the usual one first."""

    title: str
    command: str
    """The name of its command in the path."""
    install: str = ""
    """The command that installs it on Debian."""
    probe: str = ""
    """The file in ``probes/``, which goes to the runtime as text, or as source that is compiled
    there; or the folder of the sources that a program is built of. Empty if the command is a
    probe itself."""
    sent_as: Literal["text", "source", "program"] = "text"
    without: str = ""
    """The beginning of the file that the text goes without, such as ``<?php``."""
    arguments: tuple[str, ...] = ()
    """``{probe}`` stands for the text of the probe, ``{folder}`` for the folder with it, and
    ``{project}`` for the folder of the application."""
    needs_project: bool = False
    """Whether it finds installed libraries only in the folder of an application."""
    variables: tuple[str, ...] | None = None
    """The variables of the environment that it reads itself; `None` to give it all but ours."""
    libraries: dict[str, RuntimeLibrary]


class Location(msgspec.Struct, frozen=True, kw_only=True):
    """Where runtimes run: behind a prefix, in a project's folder, by a command of the user's."""

    prefix: tuple[str, ...] = ()
    project: str | None = None
    command: str | None = None

    def __post_init__(self) -> None:
        for option, value in (("--project", self.project), ("--in", self.command)):
            if value is not None and not value.isprintable():
                raise UsageError(f"{option}: remove the character that is not printable")

    @property
    def argv(self) -> tuple[str, ...]:
        """The command that starts the shell."""
        return (*self.prefix, "sh")

    def command_of(self, runtime: Runtime) -> str:
        """The command that starts the runtime there."""
        return self.command or runtime.command


RUNTIMES: Final[dict[str, Runtime]] = msgspec.convert(
    data_table("runtimes/runtimes.toml"), dict[str, Runtime]
)


def runtime_named(name: str) -> Runtime:
    """The runtime that a user means.

    Raises:
        UsageError: the name is unknown; the message offers a near one.
    """
    if name not in RUNTIMES:
        advice = hint(name, list(RUNTIMES), f"there are {', '.join(RUNTIMES)}")
        raise UsageError(f"no runtime {quoted(name, 60)}; {advice}")
    return RUNTIMES[name]


def probe_file(name: str) -> str:
    """A program, or a piece of a shell's script, that is sent to where hashes are timed."""
    return data_text(f"runtimes/probes/{name}")
