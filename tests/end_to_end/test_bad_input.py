"""Every wrong use ends with one line that names what to change, and with its code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest

from end_to_end.command import MADE_UP, QUICK, Ended, calibrate, calibrate_installed

HUGE: Final = "9" * 50_000
ESCAPE: Final = "\x1b[31m\x07"

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


@pytest.mark.parametrize("option", ["--target", "--budget"])
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("40", ("40ms", "40s")),
        ("0.4", ("0.4ms", "0.4s")),
        ("0", ("above zero",)),
        ("0ms", ("above zero",)),
        ("-5ms", ("above zero",)),
        ("1e-999s", ("above zero",)),
        ("nan", ("not a duration",)),
        ("nanms", ("not a duration",)),
        ("inf", ("not a duration",)),
        ("infs", ("not a duration",)),
        ("1e400s", ("not a duration",)),
        ("", ("not a duration",)),
        ("soon", ("not a duration",)),
        ("40 parsecs", ("unknown unit",)),
        (HUGE, ("not a duration",)),
        (HUGE + "ms", ("not a duration",)),
        (f"{ESCAPE}40ms", ("not a duration",)),
        ("4\n0ms", ("not a duration",)),
    ],
    ids=lambda value: repr(value)[:20] if isinstance(value, str) else "",
)
def test_durations(option: str, text: str, words: tuple[str, ...]) -> None:
    """A duration that cannot be meant is refused with what to write instead."""
    assert_one_line(calibrate("bcrypt", option, text), 2, option, *words)


@pytest.mark.parametrize("text", ["1h", "60min", "61s", "1e300s"])
def test_target_of_an_hour(text: str) -> None:
    """A target that no login would wait for is refused with the longest that is not."""
    assert_one_line(calibrate("--target", text), 2, "--target", "60 s")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("64", ("no unit", "64MiB")),
        ("0.5", ("no unit", "0.5MiB")),
        ("1024TiB", ("unknown unit", "GiB")),
        ("64parsecs", ("unknown unit", "MiB")),
        ("40ms", ("unknown unit", "MiB")),
        ("0MiB", ("not a size",)),
        ("-64MiB", ("not a size",)),
        ("0.1B", ("not a size",)),
        ("1e300GiB", ("not a size",)),
        ("nan", ("not a size",)),
        ("infMiB", ("not a size",)),
        ("", ("not a size",)),
        ("much", ("not a size",)),
        (HUGE + "MiB", ("not a size",)),
        (f"{ESCAPE}64MiB", ("not a size",)),
    ],
    ids=lambda value: repr(value)[:20] if isinstance(value, str) else "",
)
def test_sizes(text: str, words: tuple[str, ...]) -> None:
    """A size of memory that cannot be meant is refused with what to write instead."""
    assert_one_line(calibrate("argon2id", "--memory", text), 2, "--memory", *words)


def test_more_memory_than_there_is() -> None:
    """Memory that the machine has not free is refused with how much it has."""
    ended = calibrate("argon2id", "--memory", "1000000GiB")

    assert_one_line(ended, 2, "--memory", "1000000 GiB", "free")


@pytest.mark.parametrize("text", ["0", "-1", "16777216", "9" * 4000, "two", "1.5", "", ESCAPE])
def test_lanes(text: str) -> None:
    """A number of lanes that argon2id does not have is refused."""
    assert_one_line(calibrate("argon2id", "--parallelism", text), 2, "--parallelism")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), ("one hasher", "argon2id")),
        (("scrypt", "argon2id"), ("one hasher", "argon2id")),
        (("scrypt", "--all"), ("one hasher", "argon2id")),
        (("bcrypt",), ("bcrypt has no memory",)),
        (("yescrypt",), ("yescrypt", "passes")),
    ],
    ids=lambda value: " ".join(value) or "none",
)
def test_tradeoff(arguments: tuple[str, ...], words: tuple[str, ...]) -> None:
    """--tradeoff is refused for anything but one hasher that trades memory for passes."""
    assert_one_line(calibrate(*arguments, "--tradeoff"), 2, "--tradeoff", *words)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("bcript",), ("'bcript'", "did you mean bcrypt?")),
        (("bcrypt", "pbkdf2-sha257"), ("'pbkdf2-sha257'", "did you mean pbkdf2-sha256?")),
        (("hasher",), ("`calibrate hashers`",)),
        (("bcrypt@libcrypto",), ("'libcrypto'", "bcrypt@libcrypt")),
        (("bcrypt@",), ("bcrypt@libcrypt",)),
        (("",), ("`calibrate hashers`",)),
        (("@",), ("`calibrate hashers`",)),
        (("z" * 50_000,), ("unknown hasher",)),
        (("bcrypt@" + "z" * 50_000,), ("no implementation", "bcrypt@libcrypt")),
        ((f"bcrypt{ESCAPE}",), ("did you mean bcrypt?",)),
        ((f"bcrypt@{ESCAPE}",), ("bcrypt@libcrypt",)),
        (("bc\nrypt",), ("did you mean bcrypt?",)),
        (("--targt", "40ms"), ("--targt", "--target")),
        ((f"--fast{ESCAPE}",), ("--fast",)),
        (("hashers", f"more{ESCAPE}"), ("more",)),
        (("--format", "xml"), ("--format", "markdown")),
        (("--format", ESCAPE), ("--format", "markdown")),
        (("--round", "sideways"), ("--round", "nearest")),
        (("--fast", "--precise"), ("--fast", "--precise")),
        (("--target",), ("--target",)),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_arguments(arguments: tuple[str, ...], words: tuple[str, ...]) -> None:
    """An argument that is not understood is named, with the nearest that would be."""
    assert_one_line(calibrate(*arguments), 2, *words)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--fast", None),
        ("--precise", None),
        ("--all", None),
        ("--budget", "2s"),
        ("--memory", "64MiB"),
        ("--parallelism", "2"),
        ("--tradeoff", None),
    ],
)
def test_options_without_use(option: str, value: str | None) -> None:
    """An option that only changes how to measure is refused where nothing is measured."""
    arguments = (option, value) if value else (option,)

    assert_one_line(calibrate("--from", str(MADE_UP), *arguments), 2, option, "--from")


def test_name_that_the_profile_lacks() -> None:
    """A name that is not in the saved profile is refused with the nearest that is."""
    ended = calibrate("--from", str(MADE_UP), "sha1-crypt")

    assert_one_line(ended, 2, "sha1-crypt", "did you mean sha512-crypt?")


@pytest.mark.parametrize(
    "name", [f"b{ESCAPE}", "b\nc", "z" * 50_000], ids=["escape", "line", "huge"]
)
def test_odd_name_that_the_profile_lacks(name: str) -> None:
    """A name for a saved profile is quoted short and without control characters."""
    assert_one_line(calibrate("--from", str(MADE_UP), name), 2)


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
    assert [] == [
        word for word in ("1.00 MiB", "4.00 KiB", "--memory") if word not in row["error"]
    ]
    assert 1 == calibrate(*arguments, "markdown").out.count(row["error"])


def test_memory_out_of_reach_for_some() -> None:
    """A limit of memory leaves the hashers alone that take none to speak of."""
    ended = calibrate("bcrypt", "argon2id", *QUICK, "--memory", "4KiB", "--format", "json")
    statuses = [(row["hasher"], row["status"]) for row in json.loads(ended.out)["results"]]

    assert 5 == ended.code
    assert [("bcrypt", "measured"), ("argon2id", "failed")] == statuses


def test_lanes_that_exceed_the_memory() -> None:
    """Lanes are refused, before a hash is timed, that need more memory than is allowed."""
    ended = calibrate("argon2id", *QUICK, "--memory", "1MiB", "--parallelism", "129", "--quiet")

    assert (5, "") == (ended.code, ended.err)
    assert "raise --memory" in " ".join(ended.out.split())


def test_target_out_of_reach_for_some() -> None:
    """The hashers that can reach the target are recommended beside those that cannot."""
    ended = calibrate("bcrypt", "pbkdf2-sha1", *QUICK, "--target", "200us", "--format", "json")
    statuses = [(row["hasher"], row["status"]) for row in json.loads(ended.out)["results"]]

    assert 5 == ended.code
    assert [("bcrypt", "failed"), ("pbkdf2-sha1", "measured")] == statuses


@pytest.mark.parametrize("option", ["--output", "--save"])
@pytest.mark.parametrize(
    "path",
    ["missing/result", ".", "file/result", "x" * 300],
    ids=["missing", "folder", "file", "long"],
)
def test_unwritable_output(option: str, path: str, tmp_path: Path) -> None:
    """An output that cannot be written is found before anything is timed, and leaves nothing."""
    (tmp_path / "file").touch()
    (tmp_path / "bcrypt.py").write_text(MARKER)
    before = set(tmp_path.iterdir())
    ended = calibrate_installed(
        "bcrypt", "--precise", option, path, cwd=tmp_path, libraries=tmp_path
    )

    assert_one_line(ended, 2, option)
    assert before == set(tmp_path.iterdir())


def test_unwritable_output_with_control_characters(tmp_path: Path) -> None:
    """A path is quoted without the control characters in it."""
    ended = calibrate("bcrypt", "--output", f"missing{ESCAPE}\n/result", cwd=tmp_path)

    assert_one_line(ended, 2, "--output", "missing")


@pytest.mark.parametrize(
    ("saved", "output"), [("a", "a"), ("a", "./a"), ("a", "link"), ("link", "a")]
)
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
