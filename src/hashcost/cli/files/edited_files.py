"""Files of applications that `calibrate emit` changes, or shows the change of."""

import contextlib
import difflib
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from hashcost.apps.interface import App
from hashcost.cli.files.app_files import LONGEST_SECONDS, installed, text_of
from hashcost.cli.process import TimeUp, limited
from hashcost.core.errors import UnreadableInputError, UsageError
from hashcost.core.text import path_name, quoted
from hashcost.documents.files import check_writable, rewrite
from hashcost.recommend.emission import Emission
from hashcost.verdicts.applying import Change, Target, change_for, hasher_of


def files_by_app(
    option: str, names: Sequence[str], given: Sequence[str]
) -> dict[str, tuple[Path, ...]]:
    """The files of each application: ``FILE`` where there is one, else ``APP=FILE``.

    Raises:
        UsageError: which application a file is of is not said, or one has none.
    """
    found: dict[str, list[Path]] = {}
    for each in given:
        name, equals, path = each.partition("=")
        if not (equals and name in names):
            name, path = names[0], each
            if len(names) > 1:
                raise UsageError(
                    f"{option}: which application is {quoted(each, 60)} of? write"
                    f" `{option} {name}={path_name(each)}`"
                )
        found.setdefault(name, []).append(Path(path))
    real = [os.path.realpath(path) for paths in found.values() for path in paths]
    twice = next((each for each in real if real.count(each) > 1), None)
    if twice is not None:
        name = path_name(Path(twice).name)
        raise UsageError(f"{option}: {name} is named twice; run the command once for each")
    for name in names if given else ():
        if name not in found:
            raise UsageError(f"{option}: name the file of {name} too: `{option} {name}=FILE`")
    return {name: tuple(paths) for name, paths in found.items()}


def hasher_in(app: App, paths: Sequence[Path]) -> str | None:
    """The hasher that the first of an application's files sets, if that can be told."""
    for path in paths:
        with _in_time(path):
            return hasher_of(app, str(path), text_of(path), installed(app))
    return None


def change_of(path: Path, emission: Emission, *, lower: bool) -> Change:
    """The change of a file.

    Raises:
        UsageError: the file hashes with another hasher, or has a higher cost.
        UnreadableInputError: there is no safe way to change it.
    """
    target = Target(
        app=emission.app,
        scheme=emission.scheme,
        params=emission.params,
        path=str(path),
        text=text_of(path),
        version=installed(emission.app),
        lower=lower,
    )
    with _in_time(path):
        return change_for(target)


def check_changeable(paths: Sequence[Path]) -> None:
    """Find out, before any work is done, whether files could be written."""
    for path in paths:
        text_of(path)
        check_writable(path)


def written(path: Path, change: Change) -> Path | None:
    """Write a file that is to change, and return its backup."""
    if not change.is_needed:
        return None
    return rewrite(path, change.before.encode(), change.after.encode())


def diff_of(change: Change) -> str:
    """The change as `patch` takes it, without the lines around it, which may be passwords."""
    name = path_name(change.path)
    lines = difflib.unified_diff(_lines(change.before), _lines(change.after), name, name, n=0)
    return "".join(_ended(lines))


@contextlib.contextmanager
def _in_time(path: Path) -> Iterator[None]:
    try:
        with limited(LONGEST_SECONDS):
            yield
    except TimeUp as error:
        raise UnreadableInputError(
            f"{path_name(path)}: finding the cost takes longer than {LONGEST_SECONDS:g} s;"
            " name a file that is less entangled"
        ) from error


def _lines(text: str) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _ended(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
