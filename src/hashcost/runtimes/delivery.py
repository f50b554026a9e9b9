"""What a shell is given so that it becomes a runtime with the probe in it. Pure.

`PREFIX sh` has nothing in it that a shell on the way could take for its own, so the same words
work for ssh, docker exec -i, kubectl exec -i, sudo, chroot, nice and env. The program follows on
standard input: the shell replaces itself by the runtime, which then reads the questions from
the same input. A probe that needs files has the shell for a parent, which removes them when the
probe was kept from doing so itself. Every value of the user's stands in quotes.
"""

import base64
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from hashcost.core.errors import UsageError
from hashcost.runtimes.table import Runtime

ABSENT: Final = 127
"""What a shell ends with whose command is not there."""
NO_FOLDER: Final = 126
"""What the script ends with if the project's folder cannot be entered."""
_END: Final = "HASHCOST_END_OF_FILE"
_FOLDER: Final = """\
HASHCOST_FOLDER=; export HASHCOST_FOLDER
trap 'rm -rf "$HASHCOST_FOLDER"' EXIT
trap 'exit 1' HUP INT TERM
for each in "${TMPDIR:-/tmp}" /dev/shm /var/tmp "$HOME" .; do
    HASHCOST_FOLDER=$(mktemp -d "$each/hashcost.XXXXXX" 2>/dev/null) || continue
    echo '#!/bin/sh' >"$HASHCOST_FOLDER/try" && chmod 700 "$HASHCOST_FOLDER/try"
    "$HASHCOST_FOLDER/try" 2>/dev/null && rm "$HASHCOST_FOLDER/try" && break
    rm -rf "$HASHCOST_FOLDER"
    HASHCOST_FOLDER=
done
[ -n "$HASHCOST_FOLDER" ] || { echo 'no folder takes a program' >&2; exit 1; }"""
"""Where files may be written and programs run: some mounts allow only the first, or neither."""
_COMPILED: Final = """\
compiler=javac
case $1 in */*) if [ -x "${1%/*}/javac" ]; then compiler=${1%/*}/javac; fi; esac
command -v "$compiler" >/dev/null || { echo 'its probe needs a compiler, and there is no javac;\
 install it with `apt-get install default-jdk-headless`' >&2; exit 1; }
JAVA_TOOL_OPTIONS= "$compiler" -J-XX:TieredStopAtLevel=1 -J-XX:+UseSerialGC -nowarn -proc:none\
 -g:none -d "$HASHCOST_FOLDER" "$HASHCOST_FOLDER"/*.java || exit 1"""
"""By the compiler beside the runtime or in the path, without what sets the application's heap."""


@dataclass(frozen=True, kw_only=True)
class Place:
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
        """What starts the shell."""
        return (*self.prefix, "sh")

    def command_of(self, runtime: Runtime) -> str:
        """What starts the runtime there."""
        return self.command or runtime.command


def script(runtime: Runtime, place: Place, probe: Mapping[str, bytes]) -> bytes:
    """What the shell reads: it becomes the runtime, with the probe inside.

    ``probe`` are the files of the probe by name: one that is sent as text, or none.
    """
    if runtime.sent_as == "program":
        (name,) = probe
        lines = [*_folder_with(probe), f'"$HASHCOST_FOLDER"/{shlex.quote(name)}; exit']
        return "\n".join([*lines, ""]).encode()
    command = place.command_of(runtime)
    lines = []
    if place.project is not None:
        project = shlex.quote(place.project)
        # An application may be a single file, such as a jar.
        lines += [f"if [ -f {project} ]; then HASHCOST_PROJECT={project}"]
        lines += [f"else cd {project} || exit {NO_FOLDER}; HASHCOST_PROJECT=$PWD; fi"]
        lines += ["export HASHCOST_PROJECT"]
    lines += [f"command -v {shlex.quote(command)} >/dev/null || exit {ABSENT}"]
    text = ""
    if runtime.sent_as == "source":
        lines += [*_folder_with(probe), f"set -- {shlex.quote(command)}", _COMPILED]
    elif probe:
        (content,) = probe.values()
        text = content.decode().removeprefix(runtime.without)
    arguments = [_quoted(each, text, place.project or ".") for each in runtime.arguments]
    started = f"{shlex.quote(command)} {' '.join(arguments)}"
    # What follows on standard input is the probe's: the shell must not read on after it.
    lines += [f"{started}; exit" if runtime.sent_as == "source" else f"exec {started}"]
    return "\n".join([*lines, ""]).encode()


def _folder_with(probe: Mapping[str, bytes]) -> list[str]:
    """Write the files into a folder of their own, which the probe removes once it is loaded."""
    lines = [_FOLDER]
    for name, content in probe.items():
        encoded = base64.encodebytes(content).decode()
        lines += [f"base64 -d >\"$HASHCOST_FOLDER\"/{shlex.quote(name)} <<'{_END}' || exit 1"]
        lines += [f"{encoded}{_END}", f'chmod 700 "$HASHCOST_FOLDER"/{shlex.quote(name)}']
    return lines


def _quoted(argument: str, text: str, project: str) -> str:
    """An argument as the shell reads it; the folder is known only there."""
    filled = argument.replace("{project}", project).replace("{probe}", text)
    return '"$HASHCOST_FOLDER"'.join(
        shlex.quote(part) if part else "" for part in filled.split("{folder}")
    )
