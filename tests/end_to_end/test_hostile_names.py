"""Whatever bytes the name of a file has, every command and format shows it harmlessly."""

from __future__ import annotations

import csv
import io
import itertools
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from xml.etree.ElementTree import fromstring

import pytest

from end_to_end.command import (
    MADE_UP,
    Ended,
    calibrate,
    calibrate_installed,
    calibrate_on_terminal,
)
from hashcost.core.text import name_bytes, path_name

_ESCAPES: Final = b"\x1b[2J\x07\x7f\xc2\x9b31m\r\x0c"
_ORDER: Final = "\N{RIGHT-TO-LEFT OVERRIDE}\N{RIGHT-TO-LEFT ISOLATE}\ue000\N{SOFT HYPHEN}".encode()
NAMES: Final = {
    "a cell": b"=$\\frac$[red]|@`*<b>&\\xff %s{0}" + _ESCAPES + _ORDER,
    "a command": b"::error file=a::##vso[task.complete]\n::error::owned\xe2\x80\xa8##[error]owned",
    "no text": b"\xff\xc3(" + _ESCAPES,
}
"""Names that steer a spreadsheet, a CI job or a terminal, and one that is no text as well."""

WEAK: Final = "import bcrypt\nbcrypt.gensalt(4)\nbcrypt.gensalt(N)\n"
EVERY: Final = ("table", "json", "csv", "markdown", "github", "junit", "sarif", "gitlab")
PLAIN: Final = EVERY[:4]
BY: Final = ("--profile", str(MADE_UP))

Arguments = tuple[str, ...]
_Run = tuple[Arguments, str, dict[str, str]]


_SOLVED: Final = ("--from", "{}.json", "--target", "40ms")
_APP: Final = ("check", "--app", "laravel", "{}.env", *BY)
_IN_EVERY_FORM: Final[tuple[Arguments, ...]] = (
    ("scan", ".", *BY),
    _APP,
)
_ASKED: Final[tuple[Arguments, ...]] = (
    ("scan", "{}.py", *BY),
    ("scan", "{}.none", *BY),
    ("check", "--app", "laravel", "{}.odd", *BY),
    ("check", "--app", "laravel", "{}.none", *BY),
    ("check", "--config", "{}.toml", *BY),
    ("check", "bcrypt=9", "--policy", "./{}.policy.toml", *BY),
    ("check", "bcrypt=9", "--profile", "{}.json"),
    ("check", "bcrypt=9", "--target", "{}", *BY),
    ("check", "{}", *BY),
    ("compare", "{}.json", "{}.2.json"),
    ("compare", "{}.profiles"),
    ("compare", "{}.json", "{}.2.json", "--baseline", "{}"),
    ("audit", "{}.hashes"),
    ("audit", "{}.none"),
    ("audit", "{}.hashes", "--layout", "csv", "--column", "{}"),
    _SOLVED,
    ("{}", *_SOLVED),
    ("explain", "bcrypt=9", "--profile", "{}.json"),
    ("policies", "{}"),
    ("gpus", "{}"),
    ("hashers", "{}"),
    ("apps", "{}"),
)
_REPORTED: Final = ((*("scan", ".", *BY), "--report"), (*_APP, "--report"))
_OTHERS: Final[tuple[_Run, ...]] = (
    (("scan", ".", *BY), "table", {"GITHUB_STEP_SUMMARY": "{}.out"}),
    (_APP, "table", {"GITHUB_STEP_SUMMARY": "{}.out"}),
    ((*_SOLVED, "--save", "{}.out"), "table", {}),
    (("emit", "django", *_SOLVED), "table", {}),
    (("emit", "django", *_SOLVED, "-o", "{}.out"), "table", {}),
    (("emit", "{}", *_SOLVED), "table", {}),
    (("report", "{}.json", "-o", "{}.html"), "page", {}),
    (("report", "{}.json", "{}.2.json", "-o", "-"), "page", {}),
)


def _runs() -> Iterator[_Run]:
    """Arguments, form and environment: each command in two forms or more; some in every form.

    ``{}`` stands for the name, before its suffix.
    """
    state = {"XDG_STATE_HOME": "{}.state"}
    for arguments in _IN_EVERY_FORM:
        yield from (((*arguments, "--format", form), form, state) for form in EVERY)
    for index, arguments in enumerate(_ASKED):
        forms = EVERY if arguments[0] in {"scan", "check"} else PLAIN
        for form in (forms[index % len(forms)], forms[(index + 2) % len(forms)]):
            yield (*arguments, "--format", form), form, state
    for index, form in enumerate(EVERY):
        yield (*_REPORTED[index % 2], f"{form}={{}}.out"), "table", {}
    yield from _OTHERS


RUNS: Final = [(run, label) for run, label in zip(_runs(), itertools.cycle(NAMES), strict=False)]
"""Each run with one of the names in turn, so that every form meets every name."""


def _files(folder: Path, name: str) -> None:
    """Every file that a command reads, by this name and in the present folder."""
    profile = MADE_UP.read_bytes()
    contents = {
        ".py": WEAK.encode(),
        ".env": b"HASH_DRIVER=bcrypt\nBCRYPT_ROUNDS=4\n",
        ".odd": b"HASH_DRIVER=\x1b[2J::error::\xe2\x80\xa8##[error]\n",
        ".toml": b'check = ["bcrypt=4"]\n',
        ".policy.toml": b'id = "\\u001b"\n',
        ".json": profile,
        ".2.json": profile.replace(b"2026", b"2025", 1),
        ".hashes": b"$2b$04$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZ01234\n",
        ".csv": b"cost,seconds\n10,0.1\n11,0.2\n12,0.4\n13,0.8\n",
    }
    for suffix, content in contents.items():
        (folder / f"{name}{suffix}").write_bytes(content)
    profiles = folder / f"{name}.profiles"
    profiles.mkdir()
    for inside in (f"{name}.json", f"{name}.2.json", f"{name}.x.json"):
        content = b"{}" if inside.endswith("x.json") else profile
        (profiles / inside).write_bytes(content)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A folder for each name, with its files."""
    found = {}
    for label, name in NAMES.items():
        found[label] = tmp_path_factory.mktemp(label)
        _files(found[label], os.fsdecode(name))
    return found


def assert_harmless(text: str, form: str) -> None:
    """Assert that nothing in a text steers a terminal or a CI job, and that it is whole."""
    spaces = "\n\t\N{NO-BREAK SPACE}\N{FIGURE SPACE}" if form == "page" else "\n\t"
    assert [] == [c for c in text if not (c.isprintable() or c in spaces)]
    assert not re.search(r"##\w*\[", text)
    if form == "github":
        own = r"::(error|warning|notice) [^:]*::.*"
        assert [] == [line for line in text.splitlines() if not re.fullmatch(own, line)]
    else:
        assert not re.search(r"^\s*::", text, re.MULTILINE)
    if form in {"json", "sarif", "gitlab"}:
        json.loads(text)
    elif form == "junit":
        fromstring(text)
    elif form == "csv":
        header, *rows = csv.reader(io.StringIO(text), strict=True)
        assert {len(header)} >= {len(row) for row in rows}


def assert_ended_well(ended: Ended, form: str) -> None:
    """Assert that a run has a code of its own, and streams that can be shown."""
    assert ended.code in {0, 1, 2, 3, 4, 5}, ended.err
    assert "internal error" not in ended.err
    assert "Traceback" not in ended.err
    assert_harmless(ended.err, "")
    if ended.out:
        assert_harmless(ended.out, form)
    else:
        assert ended.code in {0, 1} or ended.err


@pytest.mark.parametrize(
    ("run", "label"),
    RUNS,
    ids=lambda value: " ".join(value[0]) if isinstance(value, tuple) else value,
)
def test_any_name_is_shown_harmlessly(run: _Run, label: str, folders: dict[str, Path]) -> None:
    """No command and no format fails by a name, or lets it through as it is."""
    name, folder = os.fsdecode(NAMES[label]), folders[label]
    arguments, form, env = run
    for suffix in (".out", ".html"):
        (folder / f"{name}{suffix}").unlink(missing_ok=True)
    ended = calibrate(
        *(argument.replace("{}", name) for argument in arguments),
        cwd=folder,
        env={key: value.replace("{}", name) for key, value in env.items()},
    )

    assert_ended_well(ended, form)
    for suffix in (".out", ".html"):
        written = folder / f"{name}{suffix}"
        asked = any(text.endswith("{}" + suffix) for text in (*arguments, *env.values()))
        assert asked == written.exists()
        if asked:
            inside = arguments[-1].partition("={}")[0]
            assert_harmless(written.read_bytes().decode(), inside if inside in EVERY else form)


SOURCES: Final = {
    "a.py": 'bcrypt.gensalt(int("##[error]\u202e\\n::error::x" + "\x9b"))\n',
    "a.js": "bcrypt.hash(p, cfg['\u2028::error::x'] /* ##[error] */)\n",
    "b.js": "x\n::error::;\nbcrypt.hash(p, `\x1b[2J\n::error::x\n##vso[y]${n}`)\n",
    "a.php": "<?php \\password_hash($p, PASSWORD_BCRYPT, ['cost' => $x[\"##[error]\x07\"]]);\n",
    "a.rb": '::BCrypt::Password.create(p, cost: ENV["\n::error::x ##[error]\u2066"])\n',
}
"""Calls whose cost is not told, so that their excerpts are shown."""
CONFIGURED: Final = {
    "laravel": "HASH_DRIVER={}\nBCRYPT_ROUNDS=4\n",
    "symfony": 'security:\n  password_hashers:\n    App\\User: "{}"\n',
    "django": 'PASSWORD_HASHERS = ["{}"]\n',
    "login-defs": "ENCRYPT_METHOD {}\n",
    "postgresql": "password_encryption = '{}'\n",
    "elasticsearch": 'xpack.security.authc.password_hashing.algorithm: "{}"\n',
    "mediawiki": "<?php $wgPasswordDefault = '{}';\n",
}
"""Configurations of which an unknown value is quoted."""
HOSTILE: Final = "::error::##[error]\x9b\u202e\u2028x"


@pytest.mark.parametrize("form", EVERY)
def test_any_excerpt_is_shown_harmlessly(form: str, tmp_path: Path) -> None:
    """What is quoted of source code steers neither a terminal nor a CI job."""
    for name, text in SOURCES.items():
        (tmp_path / name).write_bytes(text.encode())
    summary = tmp_path / "summary"
    ended = calibrate(
        *("scan", ".", *BY, "--format", form),
        cwd=tmp_path,
        env={"GITHUB_STEP_SUMMARY": str(summary)},
    )

    assert 0 == ended.code
    assert_ended_well(ended, form)
    assert_harmless(summary.read_text("utf-8"), "markdown")


@pytest.mark.parametrize(("app", "form"), [*zip(itertools.cycle(CONFIGURED), EVERY, strict=False)])
def test_any_value_is_shown_harmlessly(app: str, form: str, tmp_path: Path) -> None:
    """What is quoted of a configuration does not either."""
    (tmp_path / "conf").write_text(CONFIGURED[app].replace("{}", HOSTILE), "utf-8")
    ended = calibrate("check", "--app", app, "conf", *BY, "--format", form, cwd=tmp_path)

    assert ended.code in {1, 2}
    assert_ended_well(ended, form)


_BY_PROFILE: Final = {
    "recommend": ("--from", "p.json", "--target", "40ms"),
    "explain": ("explain", "bcrypt=9", "--profile", "p.json"),
    "check": ("check", "bcrypt=9", "argon2id=m=1024,t=1,p=1", "--profile", "p.json"),
    "compare": ("compare", "p.json", "q.json"),
}


@pytest.mark.parametrize(("command", "form"), [*zip(_BY_PROFILE, PLAIN, strict=True)])
def test_any_text_of_a_profile_is_shown_harmlessly(
    command: str, form: str, tmp_path: Path
) -> None:
    """What a profile says of a machine and its libraries steers no CI job."""
    _hostile_profiles(tmp_path)
    ended = calibrate(*_BY_PROFILE[command], "--format", form, cwd=tmp_path)

    assert "owned" in ended.out + ended.err
    assert_ended_well(ended, form)


def test_any_text_of_a_profile_is_written_harmlessly(tmp_path: Path) -> None:
    """Nor does it in a configuration and in a page."""
    _hostile_profiles(tmp_path)
    emitted = calibrate("emit", "django", *_BY_PROFILE["recommend"], cwd=tmp_path)
    page = calibrate("report", "p.json", "-o", "-", cwd=tmp_path)

    for ended, form in ((emitted, ""), (page, "page")):
        assert "owned" in ended.out
        assert_ended_well(ended, form)


def _hostile_profiles(folder: Path) -> None:
    profile = MADE_UP.read_text("utf-8")
    for key in ("cpu_model", "implementation_version", "message", "advice", "error"):
        text = "::error::owned ##[error]owned"
        profile = re.sub(rf'("{key}": ")[^"]*"', rf'\g<1>{text}"', profile)
    for name in ("p.json", "q.json"):
        (folder / name).write_text(profile, "utf-8")


def test_a_terminal_gets_no_code_but_ours(folders: dict[str, Path]) -> None:
    """Where the result is coloured, a name has no part in it."""
    label = "no text"
    name = os.fsdecode(NAMES[label])
    ended = calibrate_on_terminal("scan", str(folders[label] / f"{name}.py"), *BY)

    plain = re.sub(r"\x1b\[[0-9;]*m", "", ended.out.rpartition("\x1b[2K")[2])
    assert_harmless(plain, "")
    assert "below-min" in plain


SHOWN: Final = {
    "scan": ("scan", "{}.py", *BY),
    "check": ("check", "--app", "laravel", "{}.env", *BY),
    "settings": ("check", "--config", "{}.toml", *BY),
}
"""Commands that show a path as a value of its own."""


@pytest.mark.parametrize("label", NAMES)
@pytest.mark.parametrize(
    ("command", "form"),
    [("scan", "json"), ("check", "csv"), ("settings", "gitlab"), ("check", "junit")],
)
def test_a_name_is_told_from_any_other(
    label: str, form: str, command: str, folders: dict[str, Path]
) -> None:
    """What is shown gives the bytes of the name back."""
    name = os.fsdecode(NAMES[label])
    arguments = [each.replace("{}", name) for each in SHOWN[command]]
    out = calibrate(*arguments, "--format", form, cwd=folders[label]).out
    match form:
        case "json":
            shown = json.loads(out)["results"][0]["place"]["path"]
        case "csv":
            shown = next(csv.DictReader(io.StringIO(out)))["path"].removeprefix("'")
        case "gitlab":
            shown = json.loads(out)[0]["location"]["path"]
        case _:
            shown = fromstring(out)[0][0].get("classname")

    assert NAMES[label] == name_bytes(shown).rpartition(b".")[0]


def test_names_that_look_alike_are_told_apart() -> None:
    """A byte, the escape that stands for it, and a control character differ."""
    alike = ["\udc85", "\x85", r"\x85", r"\\x85", r"\u0085", "\n", r"\n", "##[", r"\x23#["]
    assert len(alike) == len(set(map(path_name, alike)))
    for one, another in itertools.combinations(alike, 2):
        assert name_bytes(path_name(one)) != name_bytes(path_name(another))


def test_a_locale_without_unicode(tmp_path: Path) -> None:
    """As installed, arguments and streams are bytes, and in ASCII no name is an error."""
    name = os.fsdecode(NAMES["no text"])
    _files(tmp_path, name)
    env = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    ended = calibrate_installed("scan", f"{name}.py", *BY, cwd=tmp_path, env=env)

    assert 1 == ended.code
    assert r"\xff\xc3(" in ended.out
