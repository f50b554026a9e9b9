"""Machines by their profiles: the files and folders they are in, and what each is called."""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from hashcost.core.decoding import UNDECODABLE
from hashcost.core.errors import UnreadableInputError, UsageError
from hashcost.core.measurement import Measurement
from hashcost.core.profile import Failure, Profile
from hashcost.core.text import path_name
from hashcost.machines.model import ComparedMachine
from hashcost.recommend.recorded import profile_from_json
from hashcost.runtimes.recording import KIND
from hashcost.storage.files import read_limited, reason_of
from hashcost.storage.profile import Header


class MeasuredMachine(ComparedMachine, frozen=True, kw_only=True, eq=False):
    """One file: a machine and its hashers, each label once."""

    target_seconds: float
    measurements: tuple[Measurement, ...]
    failures: tuple[Failure, ...]
    """The hashers of which there is nothing."""


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """One hasher on a machine, or on the group that the machine represents."""

    measurement: Measurement
    machine: MeasuredMachine
    machines: tuple[str, ...]
    """The names of the group; without others the machine's own."""


def machine_of(profile: Profile, *, name: str, source: str) -> MeasuredMachine:
    """A machine by its profile; a hasher that was too slow for the target is known as well."""
    asked = {row.label for row in profile.results}
    measurements: dict[str, Measurement] = {}
    for measurement in profile.measurements:
        if measurement.label in asked:
            # The first of each label: argon2id may have been timed in several numbers of lanes.
            measurements.setdefault(measurement.label, measurement)
    return MeasuredMachine(
        name=name,
        source=source,
        created=profile.created,
        machine=profile.machine,
        probe=profile.probe,
        tool=profile.tool,
        target_seconds=profile.target_seconds,
        measurements=tuple(measurements.values()),
        failures=tuple(row for row in profile.failures if row.label not in measurements),
        warnings=profile.warnings,
        host=profile.host,
    )


def load_machines(paths: Sequence[Path]) -> tuple[tuple[MeasuredMachine, ...], tuple[str, ...]]:
    """The profiles in these files and folders, and a remark on each file that was skipped.

    A folder is read for the ``*.json`` files directly in it, in the order of their names; JSON
    that is not a profile is skipped there. A file that is reached twice is read once.

    Raises:
        UsageError: there are fewer than two files.
        UnreadableInputError: one cannot be read, is damaged, or is named and not a profile.
    """
    contents = {}
    skipped = []
    for path, is_named in _files(paths):
        content = read_limited(path)
        if _may_be_profile(content):
            contents[path] = content
        # A folder may hold other JSON; whoever names a file means it.
        elif is_named:
            raise UnreadableInputError(
                f"{path_name(path)} is not a profile; make one with `calibrate --save FILE`"
            )
        else:
            skipped.append(f"{path_name(path)} is not a profile; skipped")
    # One machine cannot be compared.
    if len(contents) < 2:
        files = "one file" if contents else "nothing"
        raise UsageError(f"{files} to compare; name at least two profiles, or a folder of them")
    machines = []
    for path, name in zip(contents, unique_names(list(contents)), strict=True):
        source = path_name(path)
        profile = profile_from_json(contents[path], name=source)
        machines.append(machine_of(profile, name=name, source=source))
    return tuple(machines), tuple(skipped)


def _files(paths: Sequence[Path]) -> Iterable[tuple[Path, bool]]:
    """The files in these files and folders, each once, and whether they were named."""
    files: dict[Path, tuple[Path, bool]] = {}
    for path in paths:
        is_folder = path.is_dir()
        for file in _json_files(path) if is_folder else [path]:
            # Two paths to one file would be two machines.
            files.setdefault(file.resolve(), (file, not is_folder))
    return files.values()


def unique_names(paths: Sequence[Path]) -> list[str]:
    """A name for each file: its stem, or as much of its path as tells it from the others."""
    names = [path_name(path.stem) or "-" for path in paths]
    # The stems first; then with one more folder at a time where they are equal.
    deepest = max((len(path.parts) for path in paths), default=0)
    for depth in range(1, deepest + 1):
        counts = Counter(names)
        for index, path in enumerate(paths):
            if counts[names[index]] > 1:
                names[index] = path_name("/".join(path.parts[-depth:])) or "-"
    return names


def _json_files(folder: Path) -> list[Path]:
    """The JSON files of a folder, by name."""
    try:
        files = [file for file in folder.iterdir() if file.suffix.lower() == ".json"]
        files = sorted(file for file in files if file.is_file())
    except OSError as error:
        reason = reason_of(error)
        raise UnreadableInputError(f"cannot read {path_name(folder)}: {reason}") from error
    if not files:
        raise UnreadableInputError(
            f"{path_name(folder)} has no .json file; name a folder of profiles"
        )
    return files


def _may_be_profile(content: bytes) -> bool:
    """Whether it is a profile or a host's samples; broken JSON may be, and reading it says why."""
    try:
        return msgspec.json.decode(content, type=Header).kind in {"", KIND}
    except msgspec.ValidationError:
        return False
    except UNDECODABLE:
        return True
