"""An application of a known file format is one TOML file: it is read and written by that."""

from __future__ import annotations

from pathlib import Path

import pytest

from hashcost.apps.interface import App
from hashcost.apps.registry import app_from_toml
from hashcost.core.errors import UnreadableInputError
from hashcost.core.measurement import Params


def _text(name: str) -> str:
    return Path(__file__).with_name("made_up").joinpath(f"{name}.toml").read_text("utf-8")


def made(text: str) -> App:
    """An application from its file."""
    app = app_from_toml(text, name="made-up")
    assert isinstance(app, App)
    return app


FORMATS = {
    path.stem: made(_text(path.stem))
    for path in sorted(Path(__file__).with_name("made_up").glob("*.toml"))
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
    said = f'counts = "{counts}"\nwhy = "as it has it"'
    app = made(_text("assignments").replace('why = "the last one counts"', said))
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
