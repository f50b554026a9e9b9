"""The settings of ``calibrate check``: ``hashcost.toml``, or a table of pyproject.toml."""

import contextlib
import datetime as dt
import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NoReturn

import msgspec

from hashcost.core.cost_expressions import Place
from hashcost.core.errors import UnreadableInputError, UsageError
from hashcost.core.text import path_name, printable, quoted
from hashcost.core.units import parse_age, parse_duration, parse_share
from hashcost.core.waiver_comments import NO_COMMENTS, Comments, may_have_waivers
from hashcost.storage.files import read_limited
from hashcost.storage.toml_tables import comments_in_toml, mistake, table_of

OWN_FILE: Final = "hashcost.toml"
SHARED_FILE: Final = "pyproject.toml"

_ACCEPT: Final = re.compile(
    r"^(?=[ \t]*\[\[[ \t]*(?:tool[ \t]*\.[ \t]*hashcost[ \t]*\.[ \t]*)?accept[ \t]*\]\])",
    re.MULTILINE,
)
_CHECK = re.compile(r"^[ \t]*check[ \t]*=", re.MULTILINE)
MOST_CHECKS: Final = 1000
"""Most costs in one file: more than anybody has, and few enough to judge in a moment."""


class ListedWaiver(msgspec.Struct, frozen=True, kw_only=True):
    """A waiver in the settings, as written; ``place`` is where."""

    place: Place
    verdict: tuple[str, ...]
    until: dt.date
    why: str
    cost: str = ""
    where: Path | None = None
    """A path, or a pattern of paths; `None` for costs that no file has."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of one file, `None` where it sets nothing. Paths are relative to the file."""

    path: Path
    check: tuple[tuple[str, Place], ...] = ()
    """Costs as written, and where."""
    app: tuple[tuple[str, tuple[Path, ...]], ...] = ()
    """Applications with their files; without any, the usual places are looked at."""
    scan: tuple[Path, ...] = ()
    """Source code: folders or files."""
    target: float | None = None
    max: float | None = None
    profile: Path | None = None
    max_age: float | None = None
    tolerance: float | None = None
    policy: tuple[str, ...] | None = None
    on_drifted: str | None = None
    on_inconclusive: str | None = None
    on_unknown: str | None = None
    over_budget: str | None = None
    accept: tuple[ListedWaiver, ...] = ()
    comments: Comments = NO_COMMENTS
    """The waivers in comments of the file, which are about ``check``."""

    @property
    def folder(self) -> Path:
        """The folder of the file, which its paths are relative to."""
        return self.path.parent


class _WrittenWaiver(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table ``[[accept]]`` as it is in the file."""

    verdict: str | tuple[str, ...]
    until: dt.date
    why: str
    cost: str = ""
    where: str | None = None


class _Written(
    msgspec.Struct, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True
):
    """The table as it is in the file."""

    check: Annotated[tuple[str, ...], msgspec.Meta(max_length=MOST_CHECKS)] = ()
    app: tuple[str, ...] | dict[str, str | tuple[str, ...]] = ()
    scan: tuple[str, ...] = ()
    target: str | None = None
    max: str | None = None
    profile: str | None = None
    max_age: str | None = None
    tolerance: str | None = None
    policy: tuple[str, ...] | None = None
    on_drifted: Literal["pass", "fail"] | None = None
    on_inconclusive: Literal["pass", "fail"] | None = None
    on_unknown: Literal["pass", "fail"] | None = None
    over_budget: Literal["pass", "fail"] | None = None
    accept: Annotated[tuple[_WrittenWaiver, ...], msgspec.Meta(max_length=MOST_CHECKS)] = ()


# The value that each key takes, in words.
_WANTED: Final = {
    "check": f'a list of at most {MOST_CHECKS:,} costs, such as ["bcrypt=12"]',
    "app": "a list of applications, or a table of them with their files, such as"
    ' {django="mysite/settings.py"}',
    "scan": 'a list of folders or files, such as ["src/"]',
    "target": 'a duration with its unit, such as "250ms"',
    "max": 'a duration with its unit, such as "500ms"',
    "profile": 'the path of a profile, such as "production.json"',
    "max-age": 'an age with its unit, such as "90d"',
    "tolerance": 'a percentage, such as "20%"',
    "policy": 'a list of names or files, such as ["owasp"]',
    "on-drifted": '"pass" or "fail"',
    "on-inconclusive": '"pass" or "fail"',
    "on-unknown": '"pass" or "fail"',
    "over-budget": '"pass" or "fail"',
    "accept": f"a list of at most {MOST_CHECKS:,} tables, such as"
    ' [{cost="bcrypt=10",verdict="below-min",until=2027-03-01,why="rehashed"}]',
}
SETTING_NAMES: Final = tuple(_WANTED)
_WANTED_OF_A_WAIVER: Final = {
    "where": 'a path or a pattern, such as "legacy/*.py"',
    "cost": 'a cost, such as "bcrypt=10"',
    "verdict": 'a verdict or a list of them, such as "below-min"',
    "until": "a day, such as 2027-03-01",
    "why": 'a reason, such as "rehashed at the next login"',
}


def find_settings(folder: Path) -> Settings | None:
    """The settings in a folder, or in the nearest folder above it that has any.

    A folder for everybody, such as /tmp, and those above it settle nothing for a folder below.

    Raises:
        UnreadableInputError: they are invalid.
    """
    for place in (folder, *folder.parents):
        if place != folder and _is_for_everybody(place):
            return None
        for name in (OWN_FILE, SHARED_FILE):
            path = shown = place / name
            if path.is_relative_to(folder):
                shown = path.relative_to(folder)
            if os.path.isfile(path):  # noqa: PTH113 - Path's own raises in a closed folder
                settings = load_settings(path, shown=shown)
                if settings is not None:
                    return settings
    return None


def _is_for_everybody(folder: Path) -> bool:
    """Whether any user may put files into a folder, and only their owner may remove them."""
    with contextlib.suppress(OSError):
        mode = folder.stat().st_mode
        return bool(mode & stat.S_ISVTX and mode & stat.S_IWOTH)
    return False


def load_settings(path: Path, *, shown: Path | None = None) -> Settings | None:
    """The settings in one file; `None` for a pyproject.toml without ``[tool.hashcost]``.

    ``shown`` is the path that places are given by.

    Raises:
        UnreadableInputError: it cannot be read, is not TOML, or holds an unknown key or a
        wrong value.
    """
    return settings_from_toml(read_limited(path), path, shown=shown or path)


def settings_from_toml(content: bytes, path: Path, *, shown: Path) -> Settings | None:
    """The settings in the content of the file at ``path``; see `load_settings`.

    Raises:
        UnreadableInputError: it is not TOML, or holds an unknown key or a wrong value.
    """
    try:
        table: Any = table_of(content)
    except ValueError as error:
        _refuse(shown, f"it is {error}")
    if path.name == SHARED_FILE:
        tools = table.get("tool")
        if not isinstance(tools, dict) or "hashcost" not in tools:
            return None
        table = tools["hashcost"]
        if not isinstance(table, dict):
            _refuse(shown, "[tool.hashcost]: it must be a table")
    try:
        written = msgspec.convert(table, _Written)
    except msgspec.ValidationError as error:
        _refuse(shown, mistake(error, _WANTED | _WANTED_OF_A_WAIVER))
    return _settings(written, path, shown, content.decode("utf-8-sig"))


def _settings(written: _Written, path: Path, shown: Path, text: str) -> Settings:
    folder = path.parent
    app = {}
    for name, files in _files_of_apps(written).items():
        app[name] = tuple(_existing(folder, file, shown) for file in files)
    policy = None
    if written.policy is not None:
        policy = tuple(_policy(folder, name, shown) for name in written.policy)
    profile = None
    if written.profile:
        profile = _existing(folder, written.profile, shown)
    comments = NO_COMMENTS
    if may_have_waivers(text):
        comments = comments_in_toml(text)
    return Settings(
        path=shown,
        check=tuple(zip(written.check, _places(written.check, shown, text), strict=True)),
        app=tuple(app.items()),
        scan=tuple(_existing(folder, file, shown) for file in written.scan),
        target=_parsed(written.target, parse_duration, "target", shown),
        max=_parsed(written.max, parse_duration, "max", shown),
        profile=profile,
        max_age=_parsed(written.max_age, parse_age, "max-age", shown),
        tolerance=_parsed(written.tolerance, parse_share, "tolerance", shown),
        policy=policy,
        on_inconclusive=written.on_inconclusive,
        on_unknown=written.on_unknown,
        over_budget=written.over_budget,
        on_drifted=written.on_drifted,
        accept=tuple(_waivers(written.accept, folder, shown, text)),
        comments=comments,
    )


def _files_of_apps(written: _Written) -> dict[str, tuple[str, ...]]:
    """The files of each application, none for one that is only named."""
    if not isinstance(written.app, dict):
        return dict.fromkeys(written.app, ())
    files: dict[str, tuple[str, ...]] = {}
    for name, named in written.app.items():
        if isinstance(named, str):
            files[name] = (named,)
        else:
            files[name] = named
    return files


def _existing(folder: Path, name: str, shown: Path) -> Path:
    """The path of a file or a folder, which need not exist, but be nothing else."""
    if "\0" in name:
        _refuse(shown, f"{quoted(name)} is not a path: it has a NUL")
    path = folder / name
    if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):  # noqa: PTH110, PTH112, PTH113
        _refuse(shown, f"{quoted(name)} is neither a file nor a folder")
    return path


def _policy(folder: Path, name: str, shown: Path) -> str:
    """The name of a policy, or the path of one's file."""
    path = _existing(folder, name, shown)
    if "/" in name or name.endswith(".toml"):
        return str(path)
    return name


def _parsed(
    written: str | None, parse: Callable[[str], float], key: str, shown: Path
) -> float | None:
    if written is None:
        return None
    try:
        return parse(written)
    except UsageError as error:
        _refuse(shown, f"{key}: {error}")


def _waivers(
    written: tuple[_WrittenWaiver, ...], folder: Path, shown: Path, text: str
) -> Iterator[ListedWaiver]:
    """The waivers, each with the line of its table."""
    lines: list[int | None]
    lines = [text.count("\n", 0, table.start()) + 1 for table in _ACCEPT.finditer(text)]
    if len(lines) != len(written):
        # They may also be written as a list on one line.
        lines = [None] * len(written)
    for waiver, line in zip(written, lines, strict=True):
        verdict, where = waiver.verdict, None
        if isinstance(verdict, str):
            verdict = (verdict,)
        if waiver.where is not None:
            where = folder / waiver.where
        yield ListedWaiver(
            place=Place(path=str(shown), line=line),
            verdict=verdict,
            until=waiver.until,
            why=waiver.why,
            cost=waiver.cost,
            where=where,
        )


def _places(costs: tuple[str, ...], shown: Path, text: str) -> Iterator[Place]:
    """The lines of the costs, in the order of the file."""
    name = str(shown)
    position, line, counted = 0, 1, 0
    key = _CHECK.search(text)
    if key is not None:
        position = key.end()
    for cost in costs:
        starts = [text.find(f"{quote}{cost}{quote}", position) for quote in ("'", '"')]
        # The same cost may stand twice: each is looked for behind the one before.
        start = min((start for start in starts if start >= 0), default=None)
        if start is None:  # It is written with escapes.
            yield Place(path=name)
            continue
        line += text.count("\n", counted, start)
        counted = start
        yield Place(path=name, line=line)
        position = start + len(cost)


def _refuse(path: Path, problem: str) -> NoReturn:
    raise UnreadableInputError(f"{path_name(path)}: {printable(problem)}")


def settings_text(
    *, target: str, profile: str, apps: Mapping[str, Sequence[str]], scan: Sequence[str]
) -> str:
    """The text of a hashcost.toml, with comments for its editors.

    A list that would be empty is a comment that shows what belongs there.
    """
    check = 'check = []  # costs that no file has: ["bcrypt=12"]'
    if apps or scan:
        check = f"# {check}"
    lines = [
        "# What `calibrate check` holds the costs of this project to.",
        f"target = {_toml_text(target)}  # what one hash may take",
        f"profile = {_toml_text(profile)}  # measured by `calibrate --save {profile}`",
        check,
    ]
    if scan:
        lines.append(f"scan = {_toml_list(scan)}  # source code to look for costs in")
    if apps:
        lines += ["", "[app]  # applications and the files that configure them"]
    for name, files in apps.items():
        written = _toml_list(files)
        if len(files) == 1:
            written = _toml_text(files[0])
        lines.append(f"{name} = {written}")
    return "\n".join(lines) + "\n"


def _toml_list(values: Sequence[str]) -> str:
    return f"[{', '.join(map(_toml_text, values))}]"


def _toml_text(value: str) -> str:
    """A basic string of TOML, whose escapes are those of JSON but for one character."""
    import json

    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
