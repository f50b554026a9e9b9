"""Whatever bytes a name or a text has, every command and format shows it harmlessly."""

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

from corpora import cases
from end_to_end.command import MADE_UP, calibrate, calibrate_installed, calibrate_on_terminal

_ESCAPES: Final = b"\x1b[2J\x07\x7f\xc2\x9b31m\r\x0c"
_ORDER: Final = "\N{RIGHT-TO-LEFT OVERRIDE}\N{RIGHT-TO-LEFT ISOLATE}\ue000\N{SOFT HYPHEN}".encode()
NAMES: Final = {
    "a cell": b"=$\\frac$[red]|@`*<b>&\\xff %s{0}" + _ESCAPES + _ORDER,
    "a command": b"::error file=a::##vso[task.complete]\n::error::owned\xe2\x80\xa8##[error]owned",
    "no text": b"\xff\xc3(" + _ESCAPES,
}
"""Names that steer a spreadsheet, a CI job or a terminal, and one that is no text as well."""

HOSTILE: Final = "::error::owned##[error]\x9b\u202e\u2028x"
EVERY: Final = ("table", "json", "csv", "markdown", "github", "junit", "sarif", "gitlab")
PLAIN: Final = EVERY[:4]

SOURCES: Final = cases(__file__, "hostile_names.toml", "sources")
"""Calls whose cost is not known, so that their excerpts are shown."""
CONFIGURED: Final = cases(__file__, "hostile_names.toml", "configured")
"""Configurations of which an unknown value is quoted."""

Arguments = tuple[str, ...]

_ASKED: Final = cases(__file__, "hostile_names.toml", "asked")
_WRITING: Final = cases(__file__, "hostile_names.toml", "writing")


def _runs() -> Iterator[tuple[Arguments, str]]:
    """Arguments and form: each command in two forms, those of CI in every form.

    ``{}`` stands for the name, before its suffix.
    """
    for index, arguments in enumerate(_ASKED):
        forms = EVERY if arguments[0] in {"scan", "check"} else PLAIN
        two = (forms[index % len(forms)], forms[(index + 2) % len(forms)])
        chosen = forms if index < 2 else two
        yield from (((*arguments, "--format", form), form) for form in chosen)
    yield from _WRITING


def _files(folder: Path, name: str) -> None:
    """Every file that a command reads, by this name and in the present folder."""
    profile = MADE_UP.read_text("utf-8")
    for key in ("cpu_model", "implementation_version", "message", "advice", "error"):
        text = "::error::owned ##[error]owned"
        profile = re.sub(rf'("{key}": ")[^"]*"', rf'\g<1>{text}"', profile)
    contents = {
        ".py": "import bcrypt\nbcrypt.gensalt(4)\nbcrypt.gensalt(N)\n",
        ".env": "HASH_DRIVER=bcrypt\nBCRYPT_ROUNDS=4\n",
        ".laravel": f"HASH_DRIVER={HOSTILE}\nBCRYPT_ROUNDS=4\n",
        **{f".{app}": text.replace("{}", HOSTILE) for app, text in CONFIGURED.items()},
        ".toml": 'check = ["bcrypt=4"]\n',
        ".lines": f"PASSWORD_ITERATIONS=100000 # \x1b[2J{HOSTILE}\r::error::owned\n",
        ".policy.toml": 'id = "\\u001b"\n',
        ".json": profile,
        ".2.json": profile.replace("2026", "2025", 1),
        ".hashes": "$2b$04$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZ01234\n",
    }
    profiles = {".json": profile, ".2.json": profile, ".x.json": "{}"}
    for path, text in (
        *((folder / f"{name}{suffix}", text) for suffix, text in contents.items()),
        *((folder / f"{name}.profiles" / f"{name}{end}", text) for end, text in profiles.items()),
        *((folder / source, text) for source, text in SOURCES.items()),
    ):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8", newline="")


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A folder for each name, with its files."""
    folders = {}
    for label, name in NAMES.items():
        folders[label] = tmp_path_factory.mktemp(label)
        _files(folders[label], os.fsdecode(name))
    return folders


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


@pytest.mark.parametrize(("run", "label"), [*zip(_runs(), itertools.cycle(NAMES), strict=False)])
def test_nothing_that_is_read_steers_anything(
    run: tuple[Arguments, str], label: str, folders: dict[str, Path]
) -> None:
    """Names, excerpts, values and a profile's texts are shown in results, errors, reports and
    summaries, which stay what they are; a run has a code of its own.
    """
    arguments, form = run
    name, folder = os.fsdecode(NAMES[label]), folders[label]
    summary = folder / "summary"
    ended = calibrate(
        *(argument.replace("{}", name) for argument in arguments),
        cwd=folder,
        env={"GITHUB_STEP_SUMMARY": str(summary), "XDG_STATE_HOME": f"{name}.state"},
    )
    shown = {"table" if "--report" in arguments else form: ended.out}
    if summary.exists():
        shown["markdown"] = summary.read_text("utf-8")
        summary.unlink()
    for file in [path for path in folder.iterdir() if path.name.endswith((".out", ".html"))]:
        shown[form] = file.read_bytes().decode()
        file.unlink()

    assert ended.code in range(6), ended.err
    assert "internal error" not in ended.err
    assert "Traceback" not in ended.err
    assert ended.out or ended.code in {0, 1} or ended.err
    assert_harmless(ended.err, "")
    for kind, text in shown.items():
        if text:
            assert_harmless(text, kind)
    if arguments[0] in {"compare", "report"} and ended.code == 0:
        assert "owned" in ended.err + "".join(shown.values())


def test_a_terminal_and_a_locale_without_unicode(folders: dict[str, Path]) -> None:
    """Where the result is coloured, a name has no part in it; as installed, arguments and
    streams are bytes, and in ASCII no name is an error.
    """
    name, folder = os.fsdecode(NAMES["no text"]), folders["no text"]
    by = ("--profile", str(MADE_UP))
    shown = calibrate_on_terminal("scan", str(folder / f"{name}.py"), *by)
    env = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    ended = calibrate_installed("scan", f"{name}.py", *by, cwd=folder, env=env)

    assert_harmless(re.sub(r"\x1b\[[0-9;]*m", "", shown.out.rpartition("\x1b[2K")[2]), "")
    assert (1, True) == (ended.code, r"\xff\xc3(" in ended.out)
