"""An application of a known file format is one TOML file: it is read and written by that."""

from __future__ import annotations

import pytest

from hashcost.apps.interface import App
from hashcost.apps.registry import app_from_toml
from hashcost.core.errors import UnreadableInputError
from hashcost.core.measurement import Params

_HEAD = """
title = "Made Up"
comment = "# {}"
rehashes = "never"
sources = ["its manual"]
checked = 2026-11-20
"""

_BCRYPT = """
[[schemes]]
hasher = "bcrypt"
library = "libcrypt"
runs = "libcrypt"
keys = { cost = "rounds" }

defaults = [{ since = "1", params = { cost = 10 } }]
limits.cost.minimum = 4
limits.cost.maximum = 31
limits.cost.beyond = "taken as 10"
limits.cost.above = "no start"
limits.cost.clamped = "below"
"""

_ARGON2ID = """
[[schemes]]
hasher = "argon2id"
library = "argon2-cffi"
runs = "argon2-cffi"
keys = { memory_kib = "memory", time_cost = "passes", parallelism = "lanes" }
"""

_NAMED = """
algorithm = { key = "kdf", default = "bcrypt", aliases = { argon = "argon2" } }

[read.groups.bcrypt]
hasher = "bcrypt"
keys = { cost = "rounds" }

[read.groups.argon2]
hasher = "argon2id"
keys = { memory_kib = "memory", time_cost = "passes", parallelism = "lanes" }
units = { memory_kib = "MiB" }
"""

_LINES = """
write = '''
kdf{0}argon
memory{0}<memory_kib as MiB>
passes{0}<time_cost>
lanes{0}<parallelism>
'''
"""


def made(read: str, *schemes: str) -> App:
    """An application from its file."""
    app = app_from_toml("\n".join((_HEAD, "[read]", read, *schemes)), name="made-up")
    assert isinstance(app, App)
    return app


def _snippet(by: str) -> str:
    return _LINES.replace("{0}", by)


def _written(text: str) -> str:
    return f"write = '''\n{text}\n'''\n"


FORMATS = {
    "assignments": made(
        f'format = "settings.Assignments"\nwhy = "the last one counts"{_NAMED}',
        _ARGON2ID + _snippet("="),
        _BCRYPT + _written("kdf=bcrypt\nrounds=<cost>"),
    ),
    "assignments by a colon": made(
        f'format = "settings.Assignments"\nby = ":"\nwhy = "the last one counts"{_NAMED}',
        _ARGON2ID + _snippet(": "),
        _BCRYPT + _written("kdf: bcrypt\nrounds: <cost>"),
    ),
    "ini": made(
        f'format = "settings.Ini"\nsection = "passwords"{_NAMED}',
        _ARGON2ID + _snippet(" = ").replace("kdf", "[passwords]\nkdf", 1),
        _BCRYPT + _written("[passwords]\nkdf = bcrypt\nrounds = <cost>"),
    ),
    "yaml": made(
        f'format = "settings.Yaml"{_NAMED}',
        _ARGON2ID + _snippet(": "),
        _BCRYPT + _written("kdf: bcrypt\nrounds: <cost>"),
    ),
    "php-array": made(
        f'format = "settings.PhpArray"{_NAMED}\n[read.constants]\nTWELVE = 12\n',
        _BCRYPT + _written("'kdf' => 'bcrypt',\n'rounds' => <cost>,"),
    ),
    "command-line": made(
        'format = "command_line.CommandLine"\nprograms = ["hashit"]\nshort = "a:c:"\n'
        'method = "a"\n'
        'unnamed = "blowfish"\nzero_is_default = true\n'
        '[read.methods]\nblowfish = { hasher = "bcrypt", counts = { cost = "c" } }\n',
        _BCRYPT + _written("hashit -a blowfish -c <cost>"),
    ),
    "source-code": made(
        'format = "source_code.SourceCode"\nlanguages = ["go"]\n'
        'libraries = ["golang.org/x/crypto/bcrypt"]\n',
        _BCRYPT + _written("hash, err := bcrypt.GenerateFromPassword(password, <cost>)"),
    ),
    "source-code in Python": made(
        'format = "source_code.SourceCode"\nlanguages = ["python"]\nlibraries = ["bcrypt"]\n',
        _BCRYPT + _written("import bcrypt\n\nsalt = bcrypt.gensalt(rounds=<cost>)"),
    ),
}
"""An application for each format that any may use, made of nothing but its file."""

each_format = pytest.mark.parametrize("app", FORMATS.values(), ids=FORMATS)


@each_format
def test_what_is_written_is_read(app: App) -> None:
    """A cost comes back from its snippet, as the one that wins, for every algorithm."""
    for scheme in app.schemes:
        params: Params = (
            {"cost": 13}
            if scheme.hasher == "bcrypt"
            else {"memory_kib": 64 * 1024, "time_cost": 3, "parallelism": 2}
        )
        (found,) = app.read(scheme.write(params))
        assert (scheme.hasher, params, True) == (found.hasher, found.params, found.wins)


@each_format
def test_nothing_is_found_in_what_sets_nothing(app: App) -> None:
    """An empty file and a comment configure nothing."""
    comment = "// rounds" if app.reading["format"] == "source_code.SourceCode" else "# rounds"
    assert () == app.read("") == app.read(f"{comment}\n")


@pytest.mark.parametrize("name", ["assignments", "ini", "yaml"])
def test_what_the_algorithm_does_not_use_does_not_count(name: str) -> None:
    """Where the file names an algorithm, another one's cost is there but does not count."""
    app = FORMATS[name]
    (bcrypt,) = (each for each in app.schemes if each.hasher == "bcrypt")
    by = ": " if name == "yaml" else "="
    text = bcrypt.write({"cost": 12}).replace("kdf: bcrypt\n", "").replace("kdf=bcrypt\n", "")
    text = text.replace("kdf = bcrypt\n", "")
    found = {each.hasher: each for each in app.read(f"{text}kdf{by}argon2\n")}
    assert {"bcrypt": False, "argon2id": True} == {key: each.wins for key, each in found.items()}
    with pytest.raises(UnreadableInputError, match="Made Up knows bcrypt, argon2"):
        app.read(f"{text}kdf{by}md5\n")


@pytest.mark.parametrize(("counts", "cost"), [("first", 11), ("last", 12)])
def test_which_of_several_lines_counts_is_told_by_the_file(counts: str, cost: int) -> None:
    """The first or the last line with one name counts, as the application has it."""
    app = made(
        f'format = "settings.Assignments"\ncounts = "{counts}"\nwhy = "as it has it"{_NAMED}',
        _BCRYPT + _written("rounds=<cost>"),
    )
    found = app.read("rounds=11\nrounds=${ROUNDS:-12}\n")
    (winner,) = (each for each in found if each.wins)
    assert len(found) == 2
    assert {"cost": cost} == winner.params
    assert "as it has it" in winner.why
    assert ("ROUNDS" in winner.why) == (counts == "last")


def test_a_constant_of_php_is_a_number() -> None:
    """A constant that the file of the application names is the number that it stands for."""
    (found,) = FORMATS["php-array"].read("<?php $CONFIG = ['rounds' => TWELVE];")
    assert {"cost": 12} == found.params


@pytest.mark.parametrize(
    ("command", "cost"),
    [
        ("hashit -c 12", 12),
        ("hashit -a BLOWFISH", 10),
        ("hashit -c 0", 10),
        ("hashit -c 3", 4),
    ],
)
def test_what_a_program_makes_of_its_options(command: str, cost: int) -> None:
    """No count is the default, and so is zero; what is too low is the lowest."""
    (found,) = FORMATS["command-line"].read(f"{command}\n")
    assert {"cost": cost} == found.params


def test_what_a_program_refuses_is_no_cost() -> None:
    """A count that the program refuses is one clear line with the nearest it accepts."""
    with pytest.raises(UnreadableInputError, match="line 1: cost 32 is out of range for hashit"):
        FORMATS["command-line"].read("hashit -c 32\n")
