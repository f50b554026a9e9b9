"""What a saved profile is good for: further rows, other targets, every application."""

import json
import shutil
from pathlib import Path
from typing import Final
from unittest import mock

import pytest

from corpora import cases
from end_to_end.command import MADE_UP, QUICK_DEFAULT, Ended, calibrate, calibrate_installed
from hashcost.apps.interface import App
from hashcost.apps.registry import app_names, load_app, timed_in_place
from hashcost.cli import COMMANDS, load_command
from hashcost.cli.commands import recommend
from hashcost.hashers.registry import DEFAULT_HASHERS
from hashcost.machine.host import this_host
from hashcost.recommend.huge_pages import unavailable
from hashcost.recommend.saved import labels_in
from hashcost.storage.profile import load_profile

QUICK: Final = ("--target", "3ms", "--effort", "fast", "--policy", "none", "--gpu", "none")
APPS: Final = [app for name in app_names() if isinstance(app := load_app(name), App)]


SAVED: Final = cases(__file__, "save.toml", "saved")
"""A command, and what it says of the files that it writes."""


def rows(path: Path) -> list[str]:
    """The rows of a file."""
    results = json.loads(path.read_bytes())["results"]
    return [f"{row['hasher']}@{row['implementation']}" for row in results]


def test_a_profile_keeps_its_other_rows_and_its_target(tmp_path: Path) -> None:
    """A row is added, or measured again, for the target that the others have; an empty file is
    filled.
    """
    path = tmp_path / "here.json"
    path.touch()
    calibrate("bcrypt", *QUICK, "--save", str(path))
    first = json.loads(path.read_bytes())
    ended = calibrate("pbkdf2-sha256", "--effort", "fast", "--save", str(path))

    assert "One hash in at most 3.00 ms" in ended.out
    assert ["bcrypt@bcrypt", "pbkdf2-sha256@hashlib"] == rows(path)
    assert first["measurements"] == json.loads(path.read_bytes())["measurements"][:1]
    assert "bcrypt" not in ended.out
    assert "here.json, which keeps 1 other, of 20" in ended.err
    calibrate("bcrypt", *QUICK, "--save", str(path))
    assert ["pbkdf2-sha256@hashlib", "bcrypt@bcrypt"] == rows(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (MADE_UP.read_text("utf-8"), "was measured on another machine"),
        ("{}", "name another file"),
        ("my notes", "name another file"),
        ('{"schema": 99}', "name another file"),
    ],
    ids=["another machine", "object", "notes", "newer"],
)
def test_what_is_no_profile_of_this_machine_is_left_alone(
    tmp_path: Path, content: str, message: str
) -> None:
    """A file of something else is not replaced; it is refused before anything is timed."""
    path = tmp_path / "notes"
    path.write_text(content, "utf-8")
    ended = calibrate("bcrypt", *QUICK, "--save", str(path))

    assert (2, "", content) == (ended.code, ended.out, path.read_text("utf-8"))
    assert message in ended.err


def test_the_target_is_that_of_the_profile() -> None:
    """Every command that takes a profile holds to its target where none is named."""

    def asked(*arguments: str) -> Ended:
        stdin = b"$2b$09$abcdefghijklmnopqrstuuY8cXqKqLYVQ0DbgHhkcQKCHnWnO1F7e\n"
        return calibrate(*arguments, "--profile", str(MADE_UP), stdin=stdin)

    for words in (
        ("recommend",),
        ("emit", "spring", "--hasher", "bcrypt"),
        ("check", "bcrypt=9"),
        ("audit", "-", "--layout", "hash"),
    ):
        own, named = asked(*words), asked(*words, "--target", "40ms")
        assert (own.code, own.out) == (named.code, named.out), words
        assert own.out, own.err


def test_one_profile_serves_every_application(tmp_path: Path) -> None:
    """After a default run with --save, neither `emit` nor `check --app` lacks a hasher, and no
    row is shown that nobody asked for.
    """
    profile, snippet = tmp_path / "server.json", tmp_path / "snippet"
    calibrate(*QUICK_DEFAULT, "--save", str(profile))
    saved = load_profile(profile)
    lacking = []
    for app in APPS:
        for scheme in app.schemes:
            if scheme.reference is None:
                continue
            asked = ("--hasher", scheme.hasher, "--from", str(profile))
            emitted = calibrate("emit", app.name, *asked)
            snippet.write_text(emitted.out, "utf-8")
            checked = calibrate("check", "--app", app.name, str(snippet), *asked[2:])
            if 4 in (emitted.code, checked.code):
                lacking.append(f"{app.name} {scheme.hasher}: {emitted.err or checked.out}")

    assert [] == lacking
    assert {*timed_in_place()} <= {*labels_in(saved)}
    assert [*DEFAULT_HASHERS] == [row.hasher for row in saved.results]


def test_huge_pages_that_are_not_to_be_had_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything is timed, with the reason and the edit; a machine that has them times in a
    process that asks for them.
    """
    asked_for = mock.Mock(side_effect=InterruptedError)
    monkeypatch.setattr(recommend, "run_with_huge_pages", asked_for)
    monkeypatch.setattr(recommend, "unavailable", lambda machine: f"{machine.os} has none")
    ended = calibrate("argon2id", "--huge-pages", "--target", "40ms")

    refusal = f"--huge-pages does nothing here: {this_host().describe().os} has none; leave it out"
    assert (2, "", f"calibrate: {refusal}\n") == (ended.code, ended.out, ended.err)
    asked_for.assert_not_called()
    monkeypatch.setattr(recommend, "unavailable", lambda _: "")
    calibrate("argon2id", "--huge-pages", "--target", "40ms")
    asked_for.assert_called_once()


def test_huge_pages_are_measured_in_a_process_that_asks_for_them(tmp_path: Path) -> None:
    """Its rows stand beside the others in a profile; where none are to be had, it says why."""
    why = unavailable(this_host().describe())
    quick = ("argon2id", "--target", "40ms", "--effort", "fast", "--save", "here.json")
    calibrate_installed(*quick, cwd=tmp_path)
    huge = calibrate_installed(*quick, "--huge-pages", cwd=tmp_path)

    if why:
        assert (2, f"--huge-pages does nothing here: {why}; leave it out") == (
            huge.code,
            huge.err.strip().removeprefix("calibrate: "),
        )
        return
    profile = load_profile(tmp_path / "here.json")
    (beside,) = profile.other_contexts
    assert not profile.machine.asks_for_huge_pages
    assert beside.machine.asks_for_huge_pages
    assert ", huge pages" in huge.out


def test_a_saved_profile_is_appraised_anew(tmp_path: Path) -> None:
    """A profile keeps what it was appraised by, and is appraised again by what is asked."""
    saved = ("--from", str(MADE_UP), "--target", "40ms", "--policy", "fips", "--save", "p.json")
    calibrate(*saved, cwd=tmp_path)
    again = calibrate("--from", "p.json", "--gpu", "none", "-f", "json", cwd=tmp_path)
    for policy, text in (("fips", (tmp_path / "p.json").read_text()), ("owasp", again.out)):
        floors = [row.get("floors", []) for row in json.loads(text)["results"]]
        assert {policy} == {check["policy"] for checks in floors for check in checks}


OPTIONS: Final = {
    (name, option.opts[-1])
    for name in COMMANDS
    for option in load_command(name).params
    if option.name in {"output", "save", "plot", "decision", "reports"}
}
"""Every option of every command that names a file to write."""


def test_every_option_that_writes_a_file_is_tried() -> None:
    """An option that is new has a row below, or stands in the tests of its command."""
    tried = {(words[0], option) for words, _ in SAVED for option in words if option[0] == "-"}
    elsewhere = {(name, option) for name, option in OPTIONS if name in {"fleet", "init"}}

    assert OPTIONS == (tried & OPTIONS) | elsewhere


@pytest.mark.parametrize(("words", "said"), SAVED)
def test_what_is_saved_is_said(words: list[str], said: list[str], tmp_path: Path) -> None:
    """A line on standard error says what was saved where, in a run without --quiet only."""
    shutil.copy(MADE_UP, tmp_path / "p.json")
    (tmp_path / "q.json").write_text(MADE_UP.read_text("utf-8").replace("AMD EPYC", "other"))
    (tmp_path / "app.py").write_text("import bcrypt\nbcrypt.gensalt(12)\n")
    (tmp_path / "hash").write_text("$2b$04$abcdefghijklmnopqrstuu" + "x" * 31 + "\n")
    ended = calibrate(*words, cwd=tmp_path)
    lines = [line for line in ended.err.splitlines() if line.startswith("Saved ")]

    assert said == lines
    for line in said:
        assert (tmp_path / line.rpartition(" in ")[2]).stat().st_size
    if "-q" in {name for option in load_command(words[0]).params for name in option.opts}:
        assert "Saved" not in calibrate(*words, "--quiet", cwd=tmp_path).err
