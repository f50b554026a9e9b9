"""The folder with a profile for each host: what is measured, and what needs no measuring again."""

import datetime as dt
import enum
import shlex
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from hashcost.compare.model import Comparison
from hashcost.core.errors import HashcostError, UnavailableError
from hashcost.core.machine import TOOL, HostIdentity, Tool
from hashcost.core.profile import Profile
from hashcost.core.text import path_name
from hashcost.documents.profile import load_profile, save_profile
from hashcost.fleet.hosts import FleetHost
from hashcost.fleet.running import Ended
from hashcost.runtimes.table import runtime_named

FLEET_SCHEMA_VERSION = 1


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

    schema: int = FLEET_SCHEMA_VERSION
    tool: Tool = TOOL
    target_seconds: float
    hosts: tuple[HostResult, ...]
    comparison: Comparison | None = None
    """None where fewer than two hosts have a profile."""


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """A request to each host."""

    target_seconds: float
    runtime: str
    command: str | None = None
    """The command that starts the runtime, if that is not in the path."""
    hashers: tuple[str, ...] = ()
    """Names or labels; without any the usual ones."""
    options: tuple[str, ...] = ()
    """Further options of the run."""

    def arguments(self, host: FleetHost, way: tuple[str, ...]) -> tuple[str, ...]:
        """The arguments of the run that measures a host, which ``way`` leads to."""
        runtime = self.runtime if self.command is None else f"{self.runtime}={self.command}"
        return (
            *self.hashers,
            *("--in", runtime, "--target", f"{self.target_seconds:.17f}s"),
            *("--exec", shlex.join(way)),
            *self.options,
        )

    def kept(self, folder: Path, host: FleetHost) -> Profile | None:
        """The profile that a host has in the folder, if it answers what is asked."""
        path = folder / host.file_name
        if not path.is_file():
            return None
        try:
            profile = load_profile(path)
        except HashcostError:
            return None  # It is damaged, or something else: measuring replaces it.
        named = profile.host is not None and profile.host.name == host.name
        same = named and profile.target_seconds == self.target_seconds
        return profile if same and self._is_answered_by(profile) else None

    def problem_of(self, profile: Profile) -> str | None:
        """Why a profile tells nothing of its host; `None` if it tells something.

        A runtime that ended on the way leaves what it had done by then, which is no answer.
        """
        title = runtime_named(self.runtime).title
        for row in profile.failures:
            if row.code == UnavailableError.code and row.error.startswith(f"{title} "):
                return row.error
        if profile.measurements:
            return None
        return next((row.error for row in profile.failures), "nothing was measured")

    def _is_answered_by(self, profile: Profile) -> bool:
        """Whether each hasher that is asked for was measured, or tried, in this runtime."""
        rows = [row for row in profile.results if row.implementation.startswith(self.runtime)]
        names = {name for row in rows for name in (row.hasher, row.label)}
        return self.problem_of(profile) is None and bool(rows) and names >= {*self.hashers}


@dataclass(frozen=True, kw_only=True)
class Folder:
    """Where the profiles are, and what is known of the hosts."""

    path: Path
    wanted: Wanted
    profiles: dict[FleetHost, Profile] = field(default_factory=dict)
    results: dict[FleetHost, HostResult] = field(default_factory=dict)

    def look(self, hosts: Iterable[FleetHost]) -> None:
        """Find the profiles that there are."""
        for host in hosts:
            profile = self.wanted.kept(self.path, host)
            if profile is not None:
                self.profiles[host] = profile
                self.results[host] = self._result(host, Outcome.KEPT)

    def take(self, ended: Ended) -> None:
        """Save what a run has measured; one that failed replaces nothing.

        Raises:
            UnwritableOutputError: a profile cannot be saved.
        """
        host, profile = ended.host, ended.profile
        error = ended.error if profile is None else self.wanted.problem_of(profile)
        if profile is not None and error is None:
            identity = profile.host or HostIdentity()
            named = msgspec.structs.replace(identity, name=host.name)
            profile = msgspec.structs.replace(profile, host=named)
            save_profile(profile, self.path / host.file_name)
            self.profiles[host] = profile
        outcome = Outcome.MEASURED if error is None else Outcome.FAILED
        self.results[host] = self._result(host, outcome, seconds=ended.seconds, error=error)

    def _result(
        self,
        host: FleetHost,
        outcome: Outcome,
        *,
        seconds: float | None = None,
        error: str | None = None,
    ) -> HostResult:
        profile = self.profiles.get(host)
        return HostResult(
            host=host.name,
            outcome=outcome,
            seconds=seconds,
            error=error,
            source=path_name(self.path / host.file_name) if profile else None,
            created=profile.created if profile else None,
        )
