"""The settings of ``calibrate check``: ``hashcost.toml``, or a table of pyproject.toml."""

import contextlib
import datetime as dt
import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NoReturn, TypeVar

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
_Value = TypeVar("_Value")


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
"""The value that each key takes, in words."""
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
            path = place / name
            shown = path.relative_to(folder) if path.is_relative_to(folder) else path
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
        table = table.get("tool", {})
        table = table.get("hashcost") if isinstance(table, dict) else None
        if table is None:
            return None
        if not isinstance(table, dict):
            _refuse(shown, "[tool.hashcost]: it must be a table")
    try:
        written = msgspec.convert(table, _Written)
    except msgspec.ValidationError as error:
        _refuse(shown, mistake(error, _WANTED | _WANTED_OF_A_WAIVER))
    return _settings(written, path, shown, content.decode("utf-8-sig"))


def _settings(written: _Written, path: Path, shown: Path, text: str) -> Settings:
    folder = path.parent

    def read(key: str, parse: Callable[[str], _Value]) -> _Value | None:
        value = getattr(written, key)
        try:
            return None if value is None else parse(value)
        except UsageError as error:
            _refuse(shown, f"{key.replace('_', '-')}: {error}")

    app = written.app if isinstance(written.app, dict) else dict.fromkeys(written.app, ())
    files = {
        name: (named,) if isinstance(named, str) else tuple(named) for name, named in app.items()
    }
    policies = written.policy or ()
    for name in filter(None, (written.profile, *policies, *written.scan, *chain(*files.values()))):
        if "\0" in name:
            _refuse(shown, f"{quoted(name)} is not a path: it has a NUL")
        named = folder / name
        if os.path.exists(named) and not (os.path.isfile(named) or os.path.isdir(named)):  # noqa: PTH110, PTH112, PTH113
            _refuse(shown, f"{quoted(name)} is neither a file nor a folder")
    return Settings(
        path=shown,
        check=tuple(zip(written.check, _places(written.check, shown, text), strict=True)),
        app=tuple((name, tuple(folder / file for file in named)) for name, named in files.items()),
        scan=tuple(folder / file for file in written.scan),
        target=read("target", parse_duration),
        max=read("max", parse_duration),
        profile=folder / written.profile if written.profile else None,
        max_age=read("max_age", parse_age),
        tolerance=read("tolerance", parse_share),
        policy=written.policy
        and tuple(
            str(folder / policy) if "/" in policy or policy.endswith(".toml") else policy
            for policy in policies
        ),
        on_inconclusive=written.on_inconclusive,
        on_unknown=written.on_unknown,
        over_budget=written.over_budget,
        on_drifted=written.on_drifted,
        accept=tuple(_waivers(written.accept, folder, shown, text)),
        comments=comments_in_toml(text) if may_have_waivers(text) else NO_COMMENTS,
    )


def _waivers(
    written: tuple[_WrittenWaiver, ...], folder: Path, shown: Path, text: str
) -> Iterator[ListedWaiver]:
    """The waivers, each with the line of its table."""
    tables = [text.count("\n", 0, table.start()) + 1 for table in _ACCEPT.finditer(text)]
    # They may also be written as a list on one line.
    lines = tables if len(tables) == len(written) else [None] * len(written)
    for waiver, line in zip(written, lines, strict=True):
        verdicts = (waiver.verdict,) if isinstance(waiver.verdict, str) else waiver.verdict
        yield ListedWaiver(
            place=Place(path=str(shown), line=line),
            verdict=verdicts,
            until=waiver.until,
            why=waiver.why,
            cost=waiver.cost,
            where=None if waiver.where is None else folder / waiver.where,
        )


def _places(costs: tuple[str, ...], shown: Path, text: str) -> Iterator[Place]:
    """The lines of the costs, in the order of the file."""
    name = str(shown)
    key = _CHECK.search(text)
    position = 0 if key is None else key.end()
    lines, counted = 1, 0
    for cost in costs:
        spellings = (f'"{cost}"', f"'{cost}'")
        start = min((at for s in spellings if (at := text.find(s, position)) >= 0), default=None)
        if start is None:
            yield Place(path=name)
        else:
            lines, counted = lines + text.count("\n", counted, start), start
            yield Place(path=name, line=lines)
            position = start + len(cost)


def _refuse(path: Path, problem: str) -> NoReturn:
    raise UnreadableInputError(f"{path_name(path)}: {printable(problem)}")


def settings_text(
    *, target: str, profile: str, apps: Mapping[str, Sequence[str]], scan: Sequence[str]
) -> str:
    """The text of a hashcost.toml, with comments for its editors.

    A list that would be empty is a comment that shows what belongs there.
    """
    nothing = not apps and not scan
    lines = [
        "# What `calibrate check` holds the costs of this project to.",
        f"target = {_toml_text(target)}  # what one hash may take",
        f"profile = {_toml_text(profile)}  # measured by `calibrate --save {profile}`",
        f'{"" if nothing else "# "}check = []  # costs that no file has: ["bcrypt=12"]',
    ]
    if scan:
        lines.append(f"scan = {_toml_list(scan)}  # source code to look for costs in")
    if apps:
        lines += ["", "[app]  # applications and the files that configure them"]
        for name, files in apps.items():
            lines.append(
                f"{name} = {_toml_text(files[0]) if len(files) == 1 else _toml_list(files)}"
            )
    return "\n".join(lines) + "\n"


def _toml_list(values: Sequence[str]) -> str:
    return f"[{', '.join(map(_toml_text, values))}]"


def _toml_text(value: str) -> str:
    """A basic string of TOML, whose escapes are those of JSON but for one character."""
    import json

    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
