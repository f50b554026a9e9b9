"""What a saved profile is good for: further rows, other targets, every application."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest

from end_to_end.command import MADE_UP, QUICK_DEFAULT, RAN, Ended, calibrate
from hashcost.apps.interface import App
from hashcost.apps.registry import app_names, load_app, timed_in_place
from hashcost.documents.profile import load_profile
from hashcost.hashers.registry import DEFAULT_HASHERS
from hashcost.recommend.saved import labels_in

QUICK: Final = ("--target", "3ms", "--effort", "fast", "--policy", "none", "--gpu", "none")
APPS: Final = [app for name in app_names() if isinstance(app := load_app(name), App)]


def saved(path: Path, *arguments: str) -> Ended:
    """Measure for a moment, and save that."""
    ended = calibrate(*arguments, *QUICK, "--save", str(path))
    assert ended.code in RAN, ended.err
    return ended


def rows(path: Path) -> list[str]:
    """The rows of a file."""
    return [
        f"{row['hasher']}@{row['implementation']}"
        for row in json.loads(path.read_bytes())["results"]
    ]


class TestInto:
    """A profile that is there already."""

    def test_it_keeps_its_other_rows(self, tmp_path: Path) -> None:
        """A row is added, or measured again, and what was not measured stays."""
        path = tmp_path / "here.json"
        saved(path, "bcrypt")
        first = json.loads(path.read_bytes())
        ended = saved(path, "pbkdf2-sha256")
        second = json.loads(path.read_bytes())

        assert ["bcrypt@bcrypt", "pbkdf2-sha256@hashlib"] == rows(path)
        assert first["measurements"] == second["measurements"][:1]
        assert "bcrypt" not in ended.out
        assert "here.json keeps 1 other measurement, of 20" in ended.err
        saved(path, "bcrypt")
        assert ["pbkdf2-sha256@hashlib", "bcrypt@bcrypt"] == rows(path)

    def test_its_target_is_the_usual_one(self, tmp_path: Path) -> None:
        """Who adds a row without a target means the target that the others have."""
        path = tmp_path / "here.json"
        saved(path, "bcrypt")
        ended = calibrate("pbkdf2-sha256", "--effort", "fast", "--save", str(path))

        assert "One hash in at most 3.00 ms" in ended.out

    def test_one_of_another_machine_is_left_alone(self, tmp_path: Path) -> None:
        """Two machines in one file would be neither; it is refused before anything is timed."""
        path = tmp_path / "there.json"
        path.write_bytes(MADE_UP.read_bytes())
        ended = calibrate("bcrypt", *QUICK, "--save", str(path))

        assert (2, "") == (ended.code, ended.out)
        assert "was measured on another machine" in ended.err
        assert "calibrate compare" in ended.err
        assert MADE_UP.read_bytes() == path.read_bytes()

    @pytest.mark.parametrize("content", ["{}", "my notes", '{"schema": 99}'])
    def test_what_is_no_profile_is_left_alone(self, tmp_path: Path, content: str) -> None:
        """A file of something else is not replaced."""
        path = tmp_path / "notes"
        path.write_text(content, "utf-8")
        ended = calibrate("bcrypt", *QUICK, "--save", str(path))

        assert (2, content) == (ended.code, path.read_text("utf-8"))
        assert "name another file" in ended.err

    def test_an_empty_file_is_filled(self, tmp_path: Path) -> None:
        """There is nothing in it to lose."""
        path = tmp_path / "new.json"
        path.touch()
        saved(path, "bcrypt")

        assert ["bcrypt@bcrypt"] == rows(path)


class TestTarget:
    """The target where none is named."""

    def test_it_is_that_of_the_profile(self) -> None:
        """Every command that takes a profile holds to its target."""
        profile = ("--profile", str(MADE_UP))
        asked: dict[str, tuple[str, ...]] = {
            "recommend": (),
            "emit": ("spring", "--hasher", "bcrypt"),
            "check": ("bcrypt=9",),
            "audit": ("-", "--layout", "hash"),
        }
        stdin = b"$2b$09$abcdefghijklmnopqrstuuY8cXqKqLYVQ0DbgHhkcQKCHnWnO1F7e\n"
        for command, arguments in asked.items():
            words = (command, *arguments, *profile)
            own, named = (
                calibrate(*words, *target, stdin=stdin) for target in ((), ("--target", "40ms"))
            )
            assert (own.code, own.out) == (named.code, named.out), command
            assert own.out, own.err


def test_one_profile_serves_every_application(tmp_path: Path) -> None:
    """After a default run with --save, neither `emit` nor `check --app` lacks a hasher, and no
    row is shown that nobody asked for.
    """
    profile = tmp_path / "server.json"
    ran = calibrate(*QUICK_DEFAULT, "--save", str(profile))
    assert ran.code in RAN, ran.err
    known = load_profile(profile)
    lacking = []
    for app in APPS:
        for scheme in app.schemes:
            if scheme.reference is None:
                continue
            name = f"{app.name} with {scheme.hasher}"
            asked = ("--hasher", scheme.hasher, "--from", str(profile))
            emitted = calibrate("emit", app.name, *asked)
            snippet = tmp_path / "snippet"
            snippet.write_text(emitted.out, "utf-8")
            checked = calibrate("check", "--app", app.name, str(snippet), *asked[2:])
            if emitted.code not in (0, 3, 5) or checked.code == 4:
                lacking.append(f"{name}: {emitted.err or checked.out}")

    assert [] == lacking
    assert {*timed_in_place()} <= {*labels_in(known)}
    assert [*DEFAULT_HASHERS] == [row.hasher for row in known.results]
    first = known.measurements[: len(known.results)]
    assert [row.label for row in known.results] == [each.label for each in first]
