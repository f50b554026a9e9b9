"""Every wrong use ends with one line that names what to change, and with its code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest

from end_to_end.command import MADE_UP, QUICK, Ended, calibrate, calibrate_installed

HUGE: Final = "9" * 50_000
ESCAPE: Final = "\x1b[31m\x07"
SAVED: Final = ("--from", str(MADE_UP))

MARKER: Final = """\
from pathlib import Path
Path(__file__).with_name("was-used").touch()
def hashpw(password, setting):
    return b"*0"
"""
"""A bcrypt that leaves a mark when it is imported: nothing is timed without that."""


def assert_one_line(ended: Ended, code: int, *words: str) -> None:
    """The run ended with this code, one short printable line with these words, and no result."""
    assert (code, "") == (ended.code, ended.out)
    assert ended.err.startswith("calibrate: ")
    assert ended.err.removesuffix("\n").isprintable()
    assert "Traceback" not in ended.err
    assert len(ended.err) < 400
    assert [] == [word for word in words if word not in ended.err]


REFUSED: Final[tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]] = (
    (("bcrypt", "--target", "40"), ("--target", "40ms", "40s")),
    (("sweep", "bcrypt", "--budget", "0.4"), ("--budget", "0.4ms", "0.4s")),
    (("bcrypt", "--target", "0ms"), ("--target", "above zero")),
    (("sweep", "bcrypt", "--budget", "1e-999s"), ("--budget", "above zero")),
    (("bcrypt", "--target", "infs"), ("--target", "not a duration")),
    (("sweep", "bcrypt", "--budget", ""), ("--budget", "not a duration")),
    (("bcrypt", "--target", "40 parsecs"), ("--target", "unknown unit")),
    (("bcrypt", "--target", HUGE + "ms"), ("--target", "not a duration")),
    (("sweep", "bcrypt", "--budget", f"{ESCAPE}40ms"), ("--budget", "not a duration")),
    (("bcrypt", "--target", "4\n0ms"), ("--target", "not a duration")),
    (("--target", "61s"), ("--target", "60 s")),
    (("--target", "1e300s"), ("--target", "60 s")),
    (("argon2id", "--memory", "64"), ("--memory", "no unit", "64MiB")),
    (("argon2id", "--memory", "1024TiB"), ("--memory", "unknown unit", "GiB")),
    (("argon2id", "--memory", "0MiB"), ("--memory", "not a size")),
    (("argon2id", "--memory", "infMiB"), ("--memory", "not a size")),
    (("argon2id", "--memory", HUGE + "MiB"), ("--memory", "not a size")),
    (("argon2id", "--memory", "1000000GiB"), ("--memory", "1000000 GiB", "free")),
    (("argon2id", "--parallelism", "0"), ("--parallelism",)),
    (("argon2id", "--parallelism", "16777216"), ("--parallelism",)),
    (("argon2id", "--parallelism", "9" * 4000), ("--parallelism",)),
    (("argon2id", "--parallelism", ESCAPE), ("--parallelism",)),
    (("bcript",), ("'bcript'", "did you mean bcrypt?")),
    (("bcrypt", "pbkdf2-sha257"), ("'pbkdf2-sha257'", "did you mean pbkdf2-sha256?")),
    (("hasher",), ("`calibrate hashers`",)),
    (("bcrypt@libcrypto",), ("'libcrypto'", "bcrypt@libcrypt")),
    (("bcrypt@",), ("bcrypt@libcrypt",)),
    (("",), ("`calibrate hashers`",)),
    (("z" * 50_000,), ("unknown hasher",)),
    (("bcrypt@" + "z" * 50_000,), ("no implementation", "bcrypt@libcrypt")),
    ((f"bcrypt{ESCAPE}",), ("did you mean bcrypt?",)),
    (("bc\nrypt",), ("did you mean bcrypt?",)),
    (("--targt", "40ms"), ("--targt", "--target")),
    ((f"--explain{ESCAPE}",), ("--explain",)),
    (("hashers", f"more{ESCAPE}"), ("more",)),
    (("--format", "xml"), ("--format", "markdown")),
    (("--effort", "sideways"), ("--effort", "precise")),
    (("--target",), ("--target",)),
    ((*SAVED, "--effort", "fast"), ("--effort", "--from")),
    ((*SAVED, "--all"), ("--all", "--from")),
    ((*SAVED, "--memory", "64MiB"), ("--memory", "--from")),
    ((*SAVED, "--parallelism", "2"), ("--parallelism", "--from")),
    ((*SAVED, "sha1-crypt"), ("sha1-crypt", "did you mean sha512-crypt?")),
    ((*SAVED, f"b{ESCAPE}\n" + "z" * 50_000), ()),
    (("bcrypt", "--output", f"missing{ESCAPE}\n/result"), ("--output", "missing")),
)


@pytest.mark.parametrize(
    ("arguments", "words"), REFUSED, ids=[repr(case[0])[:60] for case in REFUSED]
)
def test_what_cannot_be_meant_is_refused(
    arguments: tuple[str, ...], words: tuple[str, ...]
) -> None:
    """A value, a name or an option that cannot be meant is named, with what to write instead."""
    assert_one_line(calibrate(*arguments), 2, *words)


@pytest.mark.parametrize("hasher", ["bcrypt", "sha512-crypt", "scrypt", "argon2id", "yescrypt"])
def test_target_out_of_reach(hasher: str) -> None:
    """A target below the cheapest legal cost ends with 5, and says what that cost takes."""
    ended = calibrate(hasher, *QUICK, "--target", "1us", "--quiet")

    assert (5, "") == (ended.code, ended.err)
    words = " ".join(ended.out.split())
    assert "even the lowest cost" in words
    assert "raise --target" in words


@pytest.mark.parametrize("hasher", ["scrypt", "argon2id", "yescrypt"])
def test_memory_out_of_reach(hasher: str) -> None:
    """Memory below the lowest step ends with 5, and the row says in a line what that takes."""
    arguments = (hasher, *QUICK, "--memory", "4KiB", "--quiet", "--format")
    ended = calibrate(*arguments, "json")
    [row] = json.loads(ended.out)["results"]

    assert (5, "") == (ended.code, ended.err)
    assert ("failed", "unreachable") == (row["status"], row["code"])
    assert row["error"].isprintable()
    assert all(word in row["error"] for word in ("1.00 MiB", "4.00 KiB", "--memory"))
    assert 1 == calibrate(*arguments, "markdown").out.count(row["error"])


def test_lanes_that_exceed_the_memory() -> None:
    """Lanes are refused, before a hash is timed, that need more memory than is allowed."""
    ended = calibrate("argon2id", *QUICK, "--memory", "1MiB", "--parallelism", "129", "--quiet")

    assert (5, "") == (ended.code, ended.err)
    assert "raise --memory" in " ".join(ended.out.split())


@pytest.mark.parametrize(
    ("hashers", "limit"),
    [
        (("bcrypt", "argon2id"), ("--memory", "4KiB")),
        (("pbkdf2-sha1", "bcrypt"), ("--target", "200us")),
    ],
)
def test_out_of_reach_for_some(hashers: tuple[str, ...], limit: tuple[str, str]) -> None:
    """A hasher that stays within a limit is recommended beside one that cannot."""
    ended = calibrate(*hashers, *QUICK, *limit, "--format", "json")

    assert 5 == ended.code
    assert [*zip(hashers, ("measured", "failed"), strict=True)] == [
        (row["hasher"], row["status"]) for row in json.loads(ended.out)["results"]
    ]


@pytest.mark.parametrize(
    ("option", "path"),
    [
        ("--output", "missing/result"),
        ("--save", "."),
        ("--output", "file/result"),
        ("--save", "x" * 300),
    ],
)
def test_unwritable_output(option: str, path: str, tmp_path: Path) -> None:
    """An output that cannot be written is found before anything is timed, and leaves nothing."""
    (tmp_path / "file").touch()
    (tmp_path / "bcrypt.py").write_text(MARKER)
    before = set(tmp_path.iterdir())
    ended = calibrate_installed(
        "bcrypt", "--effort", "precise", option, path, cwd=tmp_path, libraries=tmp_path
    )

    assert_one_line(ended, 2, option)
    assert before == set(tmp_path.iterdir())


@pytest.mark.parametrize(("saved", "output"), [("a", "./a"), ("a", "link"), ("link", "a")])
def test_one_file_for_two_outputs(saved: str, output: str, tmp_path: Path) -> None:
    """The profile and the result cannot go to one file, however that is spelled."""
    (tmp_path / "link").symlink_to("a")
    ended = calibrate("bcrypt", *QUICK, "--save", saved, "--output", output, cwd=tmp_path)

    assert_one_line(ended, 2, "--save", "--output")
    assert not (tmp_path / "a").exists()


def test_result_does_not_overwrite_its_own_profile(tmp_path: Path) -> None:
    """A table is not written over the profile that it is solved from."""
    (tmp_path / "p.json").write_bytes(MADE_UP.read_bytes())
    ended = calibrate("--from", "p.json", "--output", "p.json", cwd=tmp_path)

    assert_one_line(ended, 2, "--output", "is read")
    assert MADE_UP.read_bytes() == (tmp_path / "p.json").read_bytes()
