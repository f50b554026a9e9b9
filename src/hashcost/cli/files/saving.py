"""``--save``: a run's measurements go into a profile, beside those that are there already."""

from collections.abc import Callable
from pathlib import Path

from hashcost.cli.output import write_remarks
from hashcost.core.errors import UnreadableInputError, UsageError
from hashcost.core.machine import HostIdentity, Machine
from hashcost.core.profile import Profile
from hashcost.core.text import path_name
from hashcost.documents.profile import load_profile, save_profile
from hashcost.recommend.saved import may_add, merged
from hashcost.render.wording import counted


def saved_before(path: Path | None, machine: Machine, host: HostIdentity | None) -> Profile | None:
    """The profile that a run on this machine adds to; `None` if there is nothing yet.

    Raises:
        UsageError: the file holds something else, or another machine's measurements.
    """
    if path is None or not path.is_file() or not path.stat().st_size:
        return None
    try:
        found = load_profile(path)
    except UnreadableInputError as error:
        raise UsageError(
            f"--save: {error}. It is left as it is; name another file, or remove it"
        ) from error
    if not may_add(found, machine, host):
        model = found.machine.cpu_model or "an unknown CPU"
        raise UsageError(
            f"--save: {path_name(path)} was measured on another machine"
            f" ({found.machine.cpu_count} × {model}); remove it to measure this one"
            f" instead, or name another file, which `calibrate compare {path_name(path)} FILE`"
            " puts beside it"
        )
    return found


def save_into(
    profile: Profile, path: Path, worth: Callable[[Profile], Profile], *, quiet: bool
) -> None:
    """Save what a run measured, with what the file has of other hashers."""
    before = saved_before(path, profile.machine, profile.host)
    if before is None:
        save_profile(worth(profile), path)
        return
    whole = merged(before, profile)
    save_profile(worth(whole), path)
    kept = len(whole.measurements) - len(profile.measurements)
    if kept and not quiet:
        rows = counted(kept, "other measurement", "other measurements")
        write_remarks([f"{path_name(path)} keeps {rows}, of {before.created:%Y-%m-%d} on"])
