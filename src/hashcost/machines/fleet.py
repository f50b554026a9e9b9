"""The folder with a profile for each host: which are measured, and which need not be again."""

import contextlib
import datetime as dt
import enum
import shlex
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from hashcost.core.errors import HashcostError, UnavailableError
from hashcost.core.machine import TOOL, HostIdentity, Tool
from hashcost.core.profile import Profile
from hashcost.core.text import path_name
from hashcost.machines.hosts import FleetHost
from hashcost.machines.model import Comparison
from hashcost.machines.running import Ended
from hashcost.runtimes.table import runtime_named
from hashcost.storage.profile import load_profile, save_profile


class Outcome(enum.Enum):
    """The outcome of a host."""

    MEASURED = "measured"
    KEPT = "kept"
    """It had been measured before, for this target."""
    FAILED = "failed"


class HostResult(msgspec.Struct, frozen=True, kw_only=True):
    """One host, and how it was measured or why it was not."""

    host: str
    outcome: Outcome
    seconds: float | None = None
    """How long measuring it took, or until it failed."""
    error: str | None = None
    source: str | None = None
    """Its profile; a host that failed may have one from before."""
    created: dt.datetime | None = None
    """When the profile was made."""


class Fleet(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="fleet"):
    """The hosts, and those with a profile side by side."""

    schema: int = 1
    tool: Tool = TOOL
    target_seconds: float
    hosts: tuple[HostResult, ...]
    comparison: Comparison | None = None
    """`None` if fewer than two hosts have a profile."""


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """A request to each host."""

    target_seconds: float
    runtime: str
    hashers: tuple[str, ...] = ()
    """Names or labels; without any the usual ones."""
    options: tuple[str, ...] = ()
    """Further options of the run, such as where it hashes."""

    def arguments(self, host: FleetHost, way: tuple[str, ...]) -> tuple[str, ...]:
        """The arguments of the run that measures a host, which ``way`` leads to."""
        target = f"{self.target_seconds:.17f}s"
        return (*self.hashers, "--target", target, "--exec", shlex.join(way), *self.options)

    def problem_of(self, profile: Profile) -> str | None:
        """Why a profile has no answer for its host; `None` if it has one.

        A runtime that ended early leaves an incomplete profile.
        """
        title = runtime_named(self.runtime).title
        for row in profile.failures:
            if row.code == UnavailableError.code and row.error.startswith(f"{title} "):
                return row.error
        if profile.measurements:
            return None
        return next((row.error for row in profile.failures), "nothing was measured")

    def is_answered_by(self, profile: Profile, host: FleetHost) -> bool:
        """Whether each hasher was measured, or tried, on this host for this target."""
        rows = [row for row in profile.results if row.implementation.startswith(self.runtime)]
        return (
            profile.host is not None
            and profile.host.name == host.name
            and profile.target_seconds == self.target_seconds
            and self.problem_of(profile) is None
            and bool(rows)
            and {name for row in rows for name in (row.hasher, row.label)} >= {*self.hashers}
        )


@dataclass(frozen=True, kw_only=True)
class Folder:
    """A folder with the profiles, and the outcome of each host."""

    path: Path
    wanted: Wanted
    profiles: dict[FleetHost, Profile] = field(default_factory=dict)
    results: dict[FleetHost, HostResult] = field(default_factory=dict)

    def look(self, hosts: Iterable[FleetHost]) -> None:
        """Find the profiles that answer the request; measuring replaces any other file."""
        for host in hosts:
            path = self.path / host.file_name
            with contextlib.suppress(HashcostError):
                if path.is_file():
                    profile = load_profile(path)
                    if self.wanted.is_answered_by(profile, host):
                        self.profiles[host] = profile
                        self._note(host, Outcome.KEPT)

    def take(self, ended: Ended) -> None:
        """Save the profile of a run; one that failed replaces nothing.

        Raises:
            UnwritableOutputError: a profile cannot be saved.
        """
        host, profile = ended.host, ended.profile
        error = ended.error if profile is None else self.wanted.problem_of(profile)
        if profile is not None and error is None:
            identity = profile.host or HostIdentity()
            named = msgspec.structs.replace(identity, name=host.name)
            profile = msgspec.structs.replace(profile, host=named)
            save_profile(profile, self.path / host.file_name, typed=False)
            self.profiles[host] = profile
        outcome = Outcome.MEASURED if error is None else Outcome.FAILED
        self._note(host, outcome, seconds=ended.seconds, error=error)

    def _note(
        self,
        host: FleetHost,
        outcome: Outcome,
        *,
        seconds: float | None = None,
        error: str | None = None,
    ) -> None:
        profile = self.profiles.get(host)
        self.results[host] = HostResult(
            host=host.name,
            outcome=outcome,
            seconds=seconds,
            error=error,
            source=path_name(self.path / host.file_name) if profile else None,
            created=profile.created if profile else None,
        )
