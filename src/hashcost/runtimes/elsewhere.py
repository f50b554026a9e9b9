"""The runtimes of one place: which hashers they offer, and the processes that run them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import TracebackType
from typing import Self

from hashcost.core.algorithms import COST_NAMES
from hashcost.core.errors import UnavailableError
from hashcost.hashers.interface import Hasher
from hashcost.hashers.registry import Candidate
from hashcost.runtimes.delivery import Place, script
from hashcost.runtimes.go_build import build
from hashcost.runtimes.hasher import ElsewhereHasher
from hashcost.runtimes.session import Patience, Session, Words
from hashcost.runtimes.table import Library, probe_files, runtime_named


@dataclass(eq=False)
class Elsewhere:
    """Starts a runtime when the first of its hashers is loaded, and ends what it has started."""

    place: Place = field(default_factory=Place)
    patience: Patience = field(default_factory=Patience)
    _sessions: dict[tuple[str, int], Session | UnavailableError] = field(default_factory=dict)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End every process; at once if something went wrong."""
        for session in self._sessions.values():
            if isinstance(session, Session):
                (session.close if kind is None else session.kill)()
        self._sessions.clear()

    def candidates(self, runtime: str) -> tuple[Candidate, ...]:
        """What a runtime offers; nothing is started before one of them is loaded.

        Raises:
            UsageError: there is no such runtime.
        """
        offered = [
            (hasher, name, library)
            for name, library in runtime_named(runtime).libraries.items()
            for hasher in library.hashers
        ]
        order = tuple(COST_NAMES)
        return tuple(
            Candidate(
                hasher,
                f"{runtime}:{name}",
                _Loader(self, runtime, hasher, name, library),
                is_remote=bool(self.place.prefix),
            )
            for hasher, name, library in sorted(offered, key=lambda each: order.index(each[0]))
        )

    def session(self, name: str, number: int = 0) -> Session:
        """The process of this number of a runtime, which is started once.

        Raises:
            UnavailableError: it does not start.
        """
        if (name, number) not in self._sessions:
            try:
                self._sessions[name, number] = self._start(name)
            except UnavailableError as error:
                self._sessions[name, number] = error
        found = self._sessions[name, number]
        if isinstance(found, UnavailableError):
            raise found
        return found

    def _start(self, name: str) -> Session:
        runtime, place = runtime_named(name), self.place
        words = Words(
            title=runtime.title,
            command=place.command_of(runtime),
            install=runtime.install,
            project=place.project or "",
            prefixed=bool(place.prefix),
        )
        if runtime.sent_as == "program":
            built = build(place.command_of(runtime), place.project, place.prefix)
            probe = {f"hashcost-{name}": built}
        else:
            probe = probe_files(runtime)
        return Session(place.argv, script(runtime, place, probe), words, self.patience)


@dataclass(frozen=True)
class _Loader:
    """What a `Candidate` loads: a hasher in a runtime, as an entry point does in this process."""

    elsewhere: Elsewhere
    runtime: str
    hasher: str
    name: str
    library: Library

    def load(self) -> Callable[[], Hasher]:
        """What builds the hasher."""
        return self._build

    @property
    def _is_unsteady(self) -> bool:
        """Whether to time a second process; a container may have no memory for it."""
        return self.hasher in self.library.unsteady and not self.elsewhere.place.prefix

    def _build(self) -> Hasher:
        session = self.elsewhere.session(self.runtime)
        try:
            return ElsewhereHasher(
                name=self.hasher,
                runtime=self.runtime,
                library_name=self.name,
                library=self.library,
                session=session,
                open_session=partial(self.elsewhere.session, self.runtime),
                processes=2 if self._is_unsteady else 1,
            )
        except UnavailableError as error:
            if session.has_ended or not self.library.install:
                raise
            raise UnavailableError(f"{error}; install it with `{self.library.install}`") from error


def runtimes_named(names: Sequence[str]) -> tuple[str, ...]:
    """The runtimes that ``hasher@runtime:library`` names ask for, each once."""
    found = (name.partition("@")[2].partition("=")[0].partition(":") for name in names)
    return tuple(dict.fromkeys(runtime for runtime, colon, _ in found if colon))
