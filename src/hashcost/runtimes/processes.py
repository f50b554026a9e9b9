"""The runtimes on one machine: the hashers that they offer, and the processes that run them.

`PREFIX sh` has nothing in it that a shell on the way could take for its own, so the same words
work for ssh, docker exec -i, kubectl exec -i, sudo, chroot, nice and env. The program follows on
standard input: the shell replaces itself by the runtime, which then reads the questions from
the same input. A probe that needs files has the shell for a parent, which removes them when the
probe could not do so itself. Every value from the user is quoted.
"""

import base64
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Self

from hashcost.core.algorithms import COST_NAMES
from hashcost.core.errors import UnavailableError
from hashcost.hashers.interface import Hasher
from hashcost.hashers.registry import Candidate
from hashcost.runtimes.go_build import build
from hashcost.runtimes.hasher import RuntimeHasher
from hashcost.runtimes.session import ABSENT, NO_FOLDER, ProbeSession, Timeouts
from hashcost.runtimes.table import Location, Runtime, probe_file, runtime_named


@dataclass(eq=False)
class Runtimes:
    """Starts a runtime when the first of its hashers is loaded, and ends what it has started."""

    location: Location = field(default_factory=Location)
    timeouts: Timeouts = field(default_factory=Timeouts)
    _sessions: dict[tuple[str, int], ProbeSession | UnavailableError] = field(default_factory=dict)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """End every process; at once if something went wrong."""
        for session in self._sessions.values():
            if isinstance(session, ProbeSession):
                if kind is None:
                    session.close()
                else:
                    session.kill()
        self._sessions.clear()

    def candidates(self, runtime: str) -> tuple[Candidate, ...]:
        """The hashers that a runtime offers; nothing is started before one of them is loaded.

        Raises:
            UsageError: the runtime is unknown.
        """
        libraries = runtime_named(runtime).libraries
        return tuple(
            Candidate(
                hasher,
                f"{runtime}:{library}",
                partial(self._hasher, runtime, hasher, library),
                is_remote=bool(self.location.prefix),
            )
            for hasher in COST_NAMES
            for library, offer in libraries.items()
            if hasher in offer.hashers
        )

    def session(self, name: str, number: int = 0) -> ProbeSession:
        """The runtime's process with this number, started on first use.

        Raises:
            UnavailableError: it does not start.
        """
        # One that did not start is not tried again for its next library.
        if (name, number) not in self._sessions:
            try:
                runtime = runtime_named(name)
                text = script(name, runtime, self.location)
                self._sessions[name, number] = ProbeSession(
                    runtime, self.location, text, self.timeouts
                )
            except UnavailableError as error:
                self._sessions[name, number] = error
        session = self._sessions[name, number]
        if isinstance(session, UnavailableError):
            raise session
        return session

    def _hasher(self, runtime: str, hasher: str, name: str) -> Hasher:
        library, session = runtime_named(runtime).libraries[name], self.session(runtime)
        try:
            opened = partial(self.session, runtime)
            return RuntimeHasher(hasher, f"{runtime}:{name}", library, opened)
        except UnavailableError as error:
            if session.has_ended or not library.install:
                raise
            cure = f"install it with `{library.install}`"
            if runtime_named(runtime).needs_project and self.location.project is None:
                cure = "name the folder that has it with --project"
            raise UnavailableError(f"{error}; {cure}") from error


def script(name: str, runtime: Runtime, location: Location) -> bytes:
    """Write what the shell reads: it becomes the runtime, with the probe inside.

    Raises:
        UnavailableError: the probe is a program that does not build.
    """
    command = location.command_of(runtime)
    if runtime.sent_as == "program":
        program = f"hashcost-{name}"
        written = _written(program, build(command, location.project, location.prefix))
        return f'{written}"$HASHCOST_FOLDER"/{program}; exit\n'.encode()
    probe = ""
    if runtime.probe:
        probe = probe_file(runtime.probe)
    lines = ""
    if location.project is not None:
        project = shlex.quote(location.project)
        # An application may be a single file, such as a jar.
        lines += f"if [ -f {project} ]; then HASHCOST_PROJECT={project}\n"
        lines += f"else cd {project} || exit {NO_FOLDER}; HASHCOST_PROJECT=$PWD; fi\n"
        lines += "export HASHCOST_PROJECT\n"
    lines += f"command -v {shlex.quote(command)} >/dev/null || exit {ABSENT}\n"
    text = probe.removeprefix(runtime.without)
    if runtime.sent_as == "source":
        lines += _written(runtime.probe, probe.encode())
        lines += f"set -- {shlex.quote(command)}\n{probe_file('compile.sh')}"
    words = [shlex.quote(command)]
    for argument in runtime.arguments:
        filled = argument.replace("{project}", location.project or ".").replace("{probe}", text)
        # The folder is known only there.
        parts = (part and shlex.quote(part) for part in filled.split("{folder}"))
        words.append('"$HASHCOST_FOLDER"'.join(parts))
    started = " ".join(words)
    # What follows on standard input is the probe's: the shell must not read on after it.
    last = f"exec {started}"
    if runtime.sent_as == "source":  # The shell stays, to remove the files.
        last = f"{started}; exit"
    return f"{lines}{last}\n".encode()


def _written(name: str, content: bytes) -> str:
    """Shell lines that write a file into a folder of its own, and remove it at the end."""
    encoded = base64.encodebytes(content).decode()
    return probe_file("folder.sh").replace("NAME", name).replace("CONTENT", encoded)


def runtimes_named(names: Sequence[str]) -> tuple[str, ...]:
    """The runtimes named in ``hasher@runtime:library``, each once."""
    implementations = (name.partition("@")[2].partition("=")[0].partition(":") for name in names)
    return tuple(dict.fromkeys(runtime for runtime, colon, _ in implementations if colon))
