"""The folder with a profile for each host: which are measured, and which need not be again."""

import contextlib
import datetime as dt
import enum
import shlex
from collections.abc import Iterable
from pathlib import Path

import msgspec
from msgspec.structs import replace

from hashcost.core.errors import HashcostError, RuntimeEndedError
from hashcost.core.machine import TOOL, HostIdentity, Tool
from hashcost.core.profile import Profile
from hashcost.core.text import path_name
from hashcost.machines.hosts import FleetHost
from hashcost.machines.model import Comparison
from hashcost.machines.running import Ended
from hashcost.storage.profile import load_profile, save_profile


class HostOutcome(enum.Enum):
    """The outcome of a host."""

    MEASURED = "measured"
    KEPT = "kept"
    """It had been measured before, for this target."""
    FAILED = "failed"


class HostResult(msgspec.Struct, frozen=True, kw_only=True):
    """One host, and how it was measured or why it was not."""

    host: str
    outcome: HostOutcome
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


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """A request to each host."""

    target_seconds: float
    runtime: str
    hashers: tuple[str, ...] = ()
    """Names or labels; without any the usual ones."""
    options: tuple[str, ...] = ()
    """Further options of the run, such as where it hashes."""

    def arguments(self, connect: tuple[str, ...]) -> tuple[str, ...]:
        """The arguments of the run that measures the host where ``connect`` runs commands."""
        target = f"{self.target_seconds:.17f}s"
        return (*self.hashers, "--target", target, "--exec", shlex.join(connect), *self.options)

    def problem_of(self, profile: Profile) -> str | None:
        """Why a profile has no answer for its host; `None` if it has one.

        A runtime that ended early leaves an incomplete profile.
        """
        for row in profile.failures:
            # The hashers after that were not tried.
            if row.code == RuntimeEndedError.code:
                return row.error
        if profile.measurements:
            return None
        return profile.failures[0].error if profile.failures else "nothing was measured"

    def is_answered_by(self, profile: Profile, host: FleetHost) -> bool:
        """Whether each hasher was measured, or tried, on this host for this target."""
        if profile.host is None or profile.host.name != host.name:
            return False
        if profile.target_seconds != self.target_seconds or self.problem_of(profile) is not None:
            return False
        names = set()
        for row in profile.results:
            if row.implementation.startswith(self.runtime):
                names |= {row.hasher, row.label}
        return bool(names) and names >= set(self.hashers)


class Folder(msgspec.Struct, frozen=True, kw_only=True):
    """A folder with the profiles, and the outcome of each host."""

    path: Path
    wanted: Wanted
    profiles: dict[FleetHost, Profile] = {}
    results: dict[FleetHost, HostResult] = {}

    def look(self, hosts: Iterable[FleetHost]) -> None:
        """Find the profiles that answer the request; measuring replaces any other file."""
        for host in hosts:
            path = self.path / host.file_name
            if not path.is_file():
                continue
            # A file that is damaged or of something else answers nothing.
            with contextlib.suppress(HashcostError):
                profile = load_profile(path)
                if self.wanted.is_answered_by(profile, host):
                    self.profiles[host] = profile
                    self._note(host, HostOutcome.KEPT)

    def take(self, ended: Ended) -> None:
        """Save the profile of a run; one that failed replaces nothing.

        Raises:
            UnwritableOutputError: a profile cannot be saved.
        """
        host, profile = ended.host, ended.profile
        error = ended.error if profile is None else self.wanted.problem_of(profile)
        if profile is None or error is not None:
            self._note(host, HostOutcome.FAILED, seconds=ended.seconds, error=error)
            return
        # A host is known by the name that the user gave it.
        identity = replace(profile.host or HostIdentity(), name=host.name)
        profile = replace(profile, host=identity)
        save_profile(profile, self.path / host.file_name, typed=False)
        self.profiles[host] = profile
        self._note(host, HostOutcome.MEASURED, seconds=ended.seconds)

    def _note(
        self,
        host: FleetHost,
        outcome: HostOutcome,
        *,
        seconds: float | None = None,
        error: str | None = None,
    ) -> None:
        """Note the outcome of a host, with the profile that it has now."""
        result = HostResult(host=host.name, outcome=outcome, seconds=seconds, error=error)
        profile = self.profiles.get(host)
        if profile is not None:
            source = path_name(self.path / host.file_name)
            result = replace(result, source=source, created=profile.created)
        self.results[host] = result
