"""What is often mistyped gets the command to type."""

from __future__ import annotations

from pathlib import Path

import pytest

from end_to_end.command import MADE_UP, calibrate


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("pbkdf2", "did you mean pbkdf2-sha1, pbkdf2-sha256 or pbkdf2-sha512?"),
        ("Bcrypt", "did you mean bcrypt?"),
        ("hasher", "did you mean `calibrate hashers`?"),
        ("xyzzy", "unknown hasher 'xyzzy'; `calibrate hashers` lists them"),
        ("bcrypt@libcrpyt", "choose bcrypt@bcrypt or bcrypt@libcrypt"),
        ("bcrypt=12", "did you mean `calibrate check bcrypt=12`?"),
        ("40ms", "did you mean `calibrate --target 40ms`?"),
        ("help", "did you mean `calibrate --help`?"),
        ("version", "did you mean `calibrate --version`?"),
        ("chekc", "did you mean `calibrate check`?"),
        ("--targte 40ms", "did you mean --target?"),
        ("--cost 12", "a cost is an argument, such as `calibrate check bcrypt=12`"),
        ("--nothing-like-it", "`calibrate --help` lists them"),
        ("emit node", "did you mean node-bcrypt, node-bcryptjs or node-crypto?"),
        ("emit", "`calibrate emit --help` shows an example"),
        ("bcrypt cost=12", "did you mean `calibrate check 'bcrypt cost=12'`?"),
        ("help check", "did you mean `calibrate check --help`?"),
        ("check --from", "requires an argument; `calibrate check --help` shows an example"),
        ("hashers bcrypt", "`calibrate hashers --help` shows an example"),
        ("check --quiet=3", "`calibrate check --help` shows an example"),
        ("check bcrypt=9 --from absent.json", "make it with `calibrate --save absent.json`"),
        (f"Bcrypt --from {MADE_UP}", "did you mean bcrypt?"),
        (f"bcrypt=12 --from {MADE_UP}", "did you mean `calibrate check bcrypt=12`?"),
        (f"scrypt --from {MADE_UP}", "add it with `calibrate scrypt --save FILE`"),
        (f"report {MADE_UP}", f"`calibrate report {MADE_UP} -o report.html`"),
        (f"compare {MADE_UP}", "name at least two profiles"),
        ("bcrypt --policy OWASP", "did you mean owasp?"),
        ("bcrypt --gpu rtx-4090 --gpu none", "--gpu: one device is enough; name it once"),
        (f"report {MADE_UP} -o page.pdf", "write it to page.html, which a browser prints to PDF"),
    ],
)
def test_a_mistake_is_answered_with_what_to_type(typed: str, told: str, tmp_path: Path) -> None:
    """One line says what was meant, the command ends with 2, and no file is written."""
    ended = calibrate(*typed.split(), cwd=tmp_path)
    assert (2, "") == (ended.code, ended.out)
    assert 1 == ended.err.count("\n")
    assert told in ended.err
    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize("option", ["--from", "--profile"])
@pytest.mark.parametrize(
    "command", [("bcrypt",), ("check", "bcrypt=9"), ("explain", "bcrypt=9"), ("emit", "rails")]
)
def test_a_profile_is_one_option(option: str, command: tuple[str, ...]) -> None:
    """Every command that takes a saved profile takes it by either name."""
    target = () if command[0] == "explain" else ("--target", "40ms")
    ended = calibrate(*command, option, str(MADE_UP), *target)
    assert "no option" not in ended.err
    assert ended.code in {0, 1}
