"""Every command and every option of the installed wheel, as its users run it."""

import json
import shlex
import shutil
import sqlite3
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest

from corpora import cases, table
from end_to_end.command import Ended
from installed.user import ENVIRONMENTS, FOLDER, give_to_user, run

_ROOT: Final = Path(__file__).parents[2]
_PROFILES: Final = sorted((_ROOT / "docs" / "examples").glob("*.json"))
_PYPROJECT: Final[dict[str, Any]] = tomllib.loads((_ROOT / "pyproject.toml").read_text("utf-8"))
_EXTRAS: Final[dict[str, list[str]]] = _PYPROJECT["project"]["optional-dependencies"]

FILES: Final[dict[str, str]] = cases(__file__, "commands.toml", "files")
"""What is in the folder where a command runs, beside profiles and a database."""
PARAMETERS: Final = cases(__file__, "commands.toml", "parameters")
"""Prints the options of each command that an environment has, by all their names."""


@pytest.fixture
def project(home: Path) -> Path:
    """A home with something to read for every command."""
    for name, text in FILES.items():
        (home / name).write_text(text)
    for profile in _PROFILES:
        shutil.copy(profile, home)
    database = sqlite3.connect(home / "users.db")
    database.execute("CREATE TABLE users (hash TEXT)")
    database.execute("INSERT INTO users VALUES (?)", ["$2b$04$" + "a" * 53])
    database.commit()
    database.close()
    give_to_user(home)
    return home


def _options(words: list[str]) -> set[str]:
    """The options among the words of a command, without their values."""
    return {word.partition("=")[0] for word in words if word.startswith("-")}


def _assert_is_no_bug(ended: Ended) -> None:
    assert 70 != ended.code
    assert "Traceback" not in ended.out + ended.err


@pytest.mark.parametrize("environment", ENVIRONMENTS)
@table("words, code, extra, stdin")
def test_every_command_and_option_does_its_work(
    words: str,
    code: list[int],
    extra: str | None,
    stdin: str | None,
    environment: str,
    project: Path,
) -> None:
    """It ends as it should; where its extra is missing, it names what installs it."""
    ended = run(environment, "calibrate", *shlex.split(words), home=project, stdin=stdin or "")

    _assert_is_no_bug(ended)
    if extra is not None and environment == "plain":
        assert 4 == ended.code, ended.err
        named = " ".join(f"'{requirement}'" for requirement in _EXTRAS[extra])
        # As the metadata of a wheel spells it.
        named = named.replace("ruamel.yaml", "ruamel-yaml")
        line = f"uv pip install --python {FOLDER / environment} {named}"
        assert f"install it with `{line}`" in ended.err
    else:
        assert ended.code in code, ended.err
    if ended.code:
        assert ended.err.splitlines()[-1].startswith("calibrate: ")


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_every_command_and_option_is_tried(environment: str, home: Path) -> None:
    """Whatever an installed command offers stands in a row of the table."""
    told = run(environment, "python", "-c", PARAMETERS, home=home)
    offered: dict[str, list[list[str]]] = json.loads(told.out)
    tried: dict[str, set[str]] = {}
    for row in cases(__file__, "commands.toml", "every_command_and_option_does_its_work"):
        words = shlex.split(row["words"])
        command = words[0]
        if command not in offered:
            command = ""
        tried.setdefault(command, set()).update(_options(words))

    assert [] == [
        f"calibrate {command} {'/'.join(names)}"
        for command, options in offered.items()
        for names in options
        if not tried.get(command, set()).intersection(names)
    ]


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_every_command_has_a_help(environment: str, home: Path) -> None:
    """The help of each needs no extra."""
    told = run(environment, "python", "-c", PARAMETERS, home=home)
    for command in json.loads(told.out):
        ended = run(environment, "calibrate", *command.split(), "--help", home=home)
        assert (0, "") == (ended.code, ended.err)
        assert ended.out.startswith("Usage: calibrate")
