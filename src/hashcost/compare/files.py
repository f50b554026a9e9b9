"""Files and folders to compare: what is in them, and what each machine is called."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from hashcost.compare.measured_machine import MeasuredMachine, machine_of
from hashcost.core.errors import UnreadableInputError, UsageError
from hashcost.core.text import path_name
from hashcost.documents.files import read_limited, reason_of
from hashcost.runtimes.recording import KIND
from hashcost.sweep.file import measured_from_json

MOST_FILES = 1000
_FEWEST_FILES = 2
_LARGEST_FILE = 64 << 20
_SUFFIX = ".json"


class _Header(msgspec.Struct):
    """What tells a profile from a sweep, and both from everything else."""

    kind: str = ""
    schema: int = 0
    results: msgspec.Raw = msgspec.Raw()


def load_machines(
    paths: Sequence[Path],
) -> tuple[tuple[MeasuredMachine, ...], tuple[str, ...]]:
    """The profiles and sweeps of these files and folders, and what was passed over.

    Of a folder the ``*.json`` files that lie right in it, in the order of their names;
    what is whole JSON and neither a profile nor a sweep is passed over there. A file
    that is reached twice is taken once.

    Raises:
        UsageError: fewer than two files are found, or more than `MOST_FILES`.
        UnreadableInputError: one cannot be read, is damaged, or is named and is neither.
    """
    found: dict[Path, tuple[Path, bool]] = {}
    for path, named in _listed(paths):
        found.setdefault(path.resolve(), (path, named))
        if len(found) > MOST_FILES:
            raise UsageError(f"there are more than {MOST_FILES} files; name fewer")
    contents: dict[Path, bytes] = {}
    skipped: list[str] = []
    for path, named in found.values():
        content = read_limited(path, _LARGEST_FILE)
        if _is_measured(content):
            contents[path] = content
        elif named:
            raise UnreadableInputError(
                f"{path_name(path)} is neither a profile nor a sweep;"
                " make one with `calibrate --save FILE`"
            )
        else:
            skipped.append(f"{path_name(path)} is neither a profile nor a sweep; skipped")
    if len(contents) < _FEWEST_FILES:
        raise UsageError(
            f"{'one file' if contents else 'nothing'} to compare; name at least two"
            " profiles or sweeps, or a folder of them"
        )
    names = unique_names(list(contents))
    return (
        tuple(
            machine_of(
                measured_from_json(content, name=path_name(path)),
                name=name,
                source=path_name(path),
            )
            for (path, content), name in zip(contents.items(), names, strict=True)
        ),
        tuple(skipped),
    )


def unique_names(paths: Sequence[Path]) -> list[str]:
    """A name for each file: its stem, with as much of the path as tells it from the others."""
    names = [_name(path.stem) for path in paths]
    deepest = max((len(path.parts) for path in paths), default=0)
    for depth in range(1, deepest + 1):
        counts = Counter(names)
        names = [
            _name("/".join(path.parts[-depth:])) if counts[name] > 1 else name
            for path, name in zip(paths, names, strict=True)
        ]
    return names


def _name(text: str) -> str:
    return path_name(text) or "-"


def _listed(paths: Sequence[Path]) -> Iterator[tuple[Path, bool]]:
    """Every file, and whether it was named itself."""
    for path in paths:
        if not path.is_dir():
            yield path, True
            continue
        try:
            inside = sorted(each for each in path.iterdir() if each.suffix.lower() == _SUFFIX)
        except OSError as error:
            reason = reason_of(error)
            raise UnreadableInputError(f"cannot read {path_name(path)}: {reason}") from error
        files = [each for each in inside if each.is_file()]
        if not files:
            raise UnreadableInputError(
                f"{path_name(path)} has no {_SUFFIX} file; name a folder of profiles"
            )
        for each in files:
            yield each, False


def _is_measured(content: bytes) -> bool:
    """Whether it says that it is a profile or a sweep.

    What is no whole JSON may be a damaged profile: reading it says what is wrong.
    """
    try:
        header = msgspec.json.decode(content, type=_Header)
    except msgspec.ValidationError:
        return False
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return True
    if header.kind:
        return header.kind in {"sweep", KIND}
    return bool(header.schema and bytes(header.results))
