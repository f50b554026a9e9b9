"""Inputs of several commands: profiles to take or add to, settings, and what a check judges."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import BufferedIOBase
from pathlib import Path
from typing import TYPE_CHECKING, cast

from hashcost.checks.judgement import Configured, CostOrVerdict, Standard
from hashcost.cli.options import Criteria
from hashcost.cli.output import Output, run_notices
from hashcost.core.errors import UnreadableInputError, UsageError, prefix_errors
from hashcost.core.machine import HostIdentity, Machine
from hashcost.core.profile import Profile
from hashcost.core.text import path_name
from hashcost.machine.host import Host, this_host
from hashcost.render.wording import counted
from hashcost.storage.files import read_stream_limited
from hashcost.storage.profile import from_json, kind_of, load_profile, save_profile
from hashcost.storage.settings import Settings, find_settings, load_settings

if TYPE_CHECKING:
    from hashcost.checks.app_files import AppFiles
    from hashcost.checks.source_costs import SourceCosts

LIST_BYTES = 1 << 20
"""The most that is read of a list that somebody writes; standard input may have no end."""


@dataclass(frozen=True, kw_only=True)
class Gathered:
    """The costs to judge, and the files of applications that they were read from."""

    rows: Sequence[CostOrVerdict] = ()
    source: SourceCosts | None = None
    files: Sequence[AppFiles] = ()
    shown: Callable[[str], str] = path_name
    """How the rows write the paths of those files."""
    is_listed: bool = False
    """Whether these are the costs that the settings list."""


def profile_named(option: str, path: Path, host: Host) -> Profile:
    """The profile that an option names, in the context of a host; messages name the option."""
    with prefix_errors(option):
        return load_profile(path, _profile).in_context_of(host.describe())


def _profile(content: bytes, *, name: str) -> Profile:
    if kind_of(content) in {"", None}:
        return from_json(content, name=name)
    # A profile answers without what measures.
    from hashcost.recommend.recorded import profile_from_json

    return profile_from_json(content, name=name)


def saved_before(path: Path | None, machine: Machine, host: HostIdentity | None) -> Profile | None:
    """The profile that a run on this machine adds to; `None` if the file does not exist.

    Raises:
        UsageError: the file holds something else, or another machine's measurements.
    """
    # A temporary file is empty before its first use.
    if path is None or not path.is_file() or not path.stat().st_size:
        return None
    from hashcost.recommend.saved import may_add

    try:
        before = load_profile(path)
    except UnreadableInputError as error:
        raise UsageError(
            f"--save: {error}. It is left as it is; name another file, or remove it"
        ) from error
    if not may_add(before, machine, host):
        model = before.machine.cpu_model or "an unknown CPU"
        raise UsageError(
            f"--save: {path_name(path)} was measured on another machine"
            f" ({before.machine.cpu_count} × {model}); remove it to measure this one"
            f" instead, or name another file, which `calibrate compare {path_name(path)} FILE`"
            " puts beside it"
        )
    return before


def save_into(
    profile: Profile,
    path: Path,
    out: Output,
    *,
    criteria: Criteria | None = None,
    typed: bool = True,
) -> None:
    """Save what a run measured beside what the file has of other hashers, and say so.

    ``criteria`` is what to compare the costs with; by default they stay as they are. Links in the
    path are followed only if it was ``typed``.
    """
    from hashcost.recommend.saved import merged

    before = saved_before(path, profile.machine, profile.host)
    whole = profile
    more = ""
    own = len(profile.measurements)
    if before is not None:
        whole = merged(before, profile)
        # Measurements in another context of this machine stay in the file too.
        kept = sum(len(part.measurements) for part in (whole, *whole.other_contexts)) - own
        if kept:
            rows = counted(kept, "other", "others")
            more = f", which keeps {rows}, of {before.created:%Y-%m-%d} on"
    if criteria is not None:
        from hashcost.strength.appraisal import appraise

        whole = appraise(whole, criteria.policies, criteria.devices)
    save_profile(whole, path, typed=typed)
    out.say_saved(counted(own, "measurement", "measurements"), path, more)


def settings_for(config: Path | None) -> Settings:
    """The settings in a file, or else those of the nearest folder that has some."""
    if config is None:
        return find_settings(Path.cwd()) or Settings(path=Path())
    settings = load_settings(config)
    if settings is None:
        raise UsageError(f"--config: {config} has no [tool.hashcost] table; add one")
    return settings


def from_here(path: Path) -> Path:
    """The path from the present folder, if it is below that."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def shown(path: Path) -> str:
    """The path from the repository's top where CI tells it, or else from the present folder."""
    whole = Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would follow links
    # Where GitHub and GitLab say that they have put the repository.
    tops = [os.environ.get(name, "") for name in ("GITHUB_WORKSPACE", "CI_PROJECT_DIR")]
    for root in filter(None, (*tops, str(Path.cwd()))):
        if whole.is_relative_to(root):
            return path_name(whole.relative_to(root).as_posix())
    return path_name(path.as_posix())


def standard_input() -> BufferedIOBase:
    """The bytes of standard input, unless it is closed."""
    if sys.stdin is None:
        raise UnreadableInputError("cannot read standard input: it is closed")
    return cast("BufferedIOBase", sys.stdin.buffer)


def whole_input() -> bytes:
    """Everything on standard input, if that is no more than a list that somebody writes."""
    return read_stream_limited(standard_input(), LIST_BYTES, name="standard input")


def costs_timed(
    costs: Sequence[Configured], target_seconds: float, profile: Path | None, out: Output
) -> Profile | None:
    """The times of costs: those of a saved profile, or of this machine where any can be timed."""
    host = this_host()
    if profile is not None:
        return profile_named("--profile", profile, host)
    # A hash that is not recognised has no cost to time.
    if not costs:
        return None
    # A profile answers without what measures.
    from hashcost.checks.live_check import measure

    standard = Standard(target_seconds=target_seconds)
    with out.progress() as report:
        measured = measure(costs, standard=standard, progress=report, host=host)
    out.warn(run_notices(measured))
    return measured
