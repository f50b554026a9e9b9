"""Whatever bytes the name of a file has, every command and format shows it harmlessly."""

from __future__ import annotations

import csv
import io
import itertools
import json
import os
import re
import shutil
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
from hashcost.core.foreign import name_bytes, path_name

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


def _commands() -> Iterator[tuple[str, _Run]]:
    """Each command and format: what it is called, its arguments, the format, the environment.

    ``{}`` stands for the name, before its suffix.
    """
    asked: dict[str, tuple[Arguments, tuple[str, ...]]] = {
        "scan": (("scan", ".", *BY), EVERY),
        "scan FILE": (("scan", "{}.py", *BY), EVERY),
        "scan nothing": (("scan", "{}.none", *BY), EVERY),
        "check --app": (("check", "--app", "laravel", "{}.env", *BY), EVERY),
        "check --app, unknown": (("check", "--app", "laravel", "{}.odd", *BY), EVERY),
        "check --app, nothing": (("check", "--app", "laravel", "{}.none", *BY), EVERY),
        "check --config": (("check", "--config", "{}.toml", *BY), EVERY),
        "check --policy": (("check", "bcrypt=9", "--policy", "./{}.policy.toml", *BY), EVERY),
        "check by profile": (("check", "bcrypt=9", "--profile", "{}.json"), EVERY),
        "check --target": (("check", "bcrypt=9", "--target", "{}", *BY), PLAIN),
        "check COST": (("check", "{}", *BY), PLAIN),
        "compare": (("compare", "{}.json", "{}.2.json"), PLAIN),
        "compare FOLDER": (("compare", "{}.profiles"), PLAIN),
        "compare --baseline": (("compare", "{}.json", "{}.2.json", "--baseline", "{}"), PLAIN),
        "audit": (("audit", "{}.hashes"), PLAIN),
        "audit nothing": (("audit", "{}.none"), PLAIN),
        "audit --column": (("audit", "{}.hashes", "--layout", "csv", "--column", "{}"), PLAIN),
        "recommend": (("--from", "{}.json", "--target", "40ms"), PLAIN),
        "recommend HASHER": (("{}", "--from", "{}.json", "--target", "40ms"), PLAIN),
        "explain": (("explain", "bcrypt=9", "--profile", "{}.json"), PLAIN),
        "solve": (("solve", "{}.csv", "--hasher", "bcrypt", "--target", "400ms"), PLAIN),
        "solve nothing": (("solve", "{}.none", "--target", "400ms"), PLAIN),
        "history": (("history",), PLAIN),
        "policies": (("policies", "{}"), PLAIN),
        "gpus": (("gpus", "{}"), PLAIN),
        "hashers": (("hashers", "{}"), PLAIN),
        "apps": (("apps", "{}"), PLAIN),
    }
    state = {"XDG_STATE_HOME": "{}.state"}
    for called, (arguments, forms) in asked.items():
        for form in forms:
            yield f"{called}, {form}", ((*arguments, "--format", form), form, state)
    for form in EVERY:
        written = ("--format", form, "-o", "{}.out")
        yield f"scan -o, {form}", (("scan", ".", *BY, *written), form, {})
        report = ("--report", f"{form}={{}}.out")
        yield f"scan --report, {form}", (("scan", ".", *BY, *report), "table", {})
        report_app = ("check", "--app", "laravel", "{}.env", *BY, *report)
        yield f"check --report, {form}", (report_app, "table", {})
    summary = {"GITHUB_STEP_SUMMARY": "{}.out"}
    yield "scan, summary", (("scan", ".", *BY), "table", summary)
    yield "check, summary", (("check", "--app", "laravel", "{}.env", *BY), "table", summary)
    solved = ("--from", "{}.json", "--target", "40ms")
    yield "recommend --save", ((*solved, "--save", "{}.out"), "table", {})
    yield "emit", (("emit", "django", *solved), "table", {})
    yield "emit -o", (("emit", "django", *solved, "-o", "{}.out"), "table", {})
    yield "emit APP", (("emit", "{}", *solved), "table", {})
    yield "report", (("report", "{}.json", "-o", "{}.html"), "page", {})
    yield "report to stdout", (("report", "{}.json", "{}.2.json", "-o", "-"), "page", {})
    yield "compare --plot", (("compare", "{}.json", "{}.2.json", "--plot"), "table", {})
    pictured = ("compare", "{}.json", "{}.2.json", "--plot", "{}.svg")
    yield "compare --plot FILE", (pictured, "table", {})


COMMANDS: Final = dict(_commands())


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


@pytest.mark.parametrize("called", COMMANDS)
@pytest.mark.parametrize("label", NAMES)
def test_any_name_is_shown_harmlessly(label: str, called: str, folders: dict[str, Path]) -> None:
    """No command and no format fails by a name, or lets it through as it is."""
    name = os.fsdecode(NAMES[label])
    arguments, form, env = COMMANDS[called]
    filled = tuple(each.replace("{}", name) for each in arguments)
    folder = folders[label]
    suffixes = (".out", ".html")
    asked_for = [each for each in (*arguments, *env.values()) if each.endswith(suffixes)]
    written = folder / f"{name}{'.html' if '{}.html' in asked_for else '.out'}"
    written.unlink(missing_ok=True)
    ended = calibrate(
        *filled, cwd=folder, env={key: each.replace("{}", name) for key, each in env.items()}
    )

    assert_ended_well(ended, form)
    asked_for = [
        each for each in (*arguments, *env.values()) if each.endswith(("{}.out", "{}.html"))
    ]
    assert bool(asked_for) == written.exists()
    if written.exists():
        inside = called.rpartition(", ")[2]
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


@pytest.mark.parametrize("form", EVERY)
@pytest.mark.parametrize("app", CONFIGURED)
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


@pytest.mark.parametrize("form", PLAIN)
@pytest.mark.parametrize("command", _BY_PROFILE)
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


@pytest.mark.parametrize("label", NAMES)
def test_a_terminal_gets_no_code_but_ours(label: str, folders: dict[str, Path]) -> None:
    """Where the result is coloured, a name has no part in it."""
    name = os.fsdecode(NAMES[label])
    ended = calibrate_on_terminal("scan", str(folders[label] / f"{name}.py"), *BY)

    plain = re.sub(r"\x1b\[[0-9;]*m", "", ended.out.rpartition("\x1b[2K")[2])
    assert_harmless(plain, "")
    assert "below-min" in plain


def test_the_table_is_whole() -> None:
    """There are at least as many commands and formats as once were tried by hand."""
    assert len(COMMANDS) >= 119


SHOWN: Final = {
    "scan": ("scan", "{}.py", *BY),
    "check": ("check", "--app", "laravel", "{}.env", *BY),
    "settings": ("check", "--config", "{}.toml", *BY),
}
"""Commands that show a path as a value of its own."""


@pytest.mark.parametrize("command", SHOWN)
@pytest.mark.parametrize("form", ["json", "csv", "gitlab", "junit"])
@pytest.mark.parametrize("label", NAMES)
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


@pytest.mark.parametrize("label", NAMES)
@pytest.mark.parametrize("called", ["scan, table", "scan -o, sarif", "compare, table"])
def test_the_installed_command(called: str, label: str, folders: dict[str, Path]) -> None:
    """As installed, arguments and streams are bytes: the same holds."""
    name = os.fsdecode(NAMES[label])
    arguments, form, env = COMMANDS[called]
    filled = tuple(each.replace("{}", name) for each in arguments)
    ended = calibrate_installed(*filled, cwd=folders[label], env=env)

    assert_ended_well(ended, form)


def test_a_locale_without_unicode(tmp_path: Path) -> None:
    """In ASCII, too, a name that it has no characters for is no error."""
    name = os.fsdecode(NAMES["no text"])
    _files(tmp_path, name)
    env = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    ended = calibrate_installed("scan", f"{name}.py", *BY, cwd=tmp_path, env=env)

    assert 1 == ended.code
    assert r"\xff\xc3(" in ended.out
    shutil.rmtree(tmp_path)
