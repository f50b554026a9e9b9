"""The main job: which hashers run, in which form, and where the result goes."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import re
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from end_to_end.command import MADE_UP, QUICK, QUICK_DEFAULT, RAN, calibrate, calibrate_installed
from hashcost import __version__
from hashcost.measure.runner import PROBE_PASSWORD, PROBE_SALT

DEFAULTS: Final = [
    "sha512-crypt@libcrypt",
    "pbkdf2-sha1@hashlib",
    "pbkdf2-sha256@hashlib",
    "pbkdf2-sha512@hashlib",
    "bcrypt@bcrypt",
    "scrypt@hashlib",
    "argon2id@argon2-cffi",
    "yescrypt@libcrypt",
]
NO_HISTORY: Final = {"XDG_STATE_HOME": os.devnull}
FORMATS: Final = ("json", "table", "csv", "markdown")


def labels(profile: str) -> list[str]:
    """The rows of a profile's JSON."""
    return [f"{row['hasher']}@{row['implementation']}" for row in json.loads(profile)["results"]]


def test_without_arguments() -> None:
    """Without a name or a target the eight default hashers are run for 250 ms, and stand in the
    same order in both tables.
    """
    ended = calibrate("--effort", "fast", "--explain")
    head, grid, worth = ended.out.split("\n\n")[:3]
    cut_short = re.findall(r"^([\w-]+)@\S+: ", ended.out, re.MULTILINE)
    firsts = [line.split()[0] for line in grid.splitlines()[1:] if not line.startswith(" ")]
    hashers = [label.partition("@")[0] for label in DEFAULTS]

    assert ended.code in RAN
    assert head.startswith("One hash in at most 250 ms, measured in ")
    assert sorted(hashers) == sorted(firsts + cut_short)
    assert firsts == [line.split()[0] for line in worth.splitlines()[2:]]


def test_default_hashers() -> None:
    """Without names the eight default hashers are run, in their order, each by the first of
    its implementations.
    """
    ended = calibrate(*QUICK_DEFAULT, "--format", "json")

    assert ended.code in RAN
    assert DEFAULTS == labels(ended.out)
    assert {"measured"} == {row["status"] for row in json.loads(ended.out)["results"]}


def test_lanes() -> None:
    """A hash in several threads is solved on wall time, and says so."""
    ended = calibrate(
        *("argon2id", "--parallelism", "2", *QUICK_DEFAULT, "--target", "20ms"),
        *("--format", "json"),
    )
    [row] = json.loads(ended.out)["results"]

    assert ended.code in RAN
    assert (2, "perf_counter") == (row["threads"], row["clock"])
    assert 2 == row["params"]["parallelism"]
    assert row["time_seconds"] <= 0.02


def test_lanes_of_others() -> None:
    """Lanes asked of hashers that have none are refused, and of a mixture they are argon2id's."""
    refused = calibrate("scrypt", "bcrypt", "--parallelism", "2", *QUICK_DEFAULT)
    mixed = calibrate("scrypt", "argon2id", "--parallelism", "2", *QUICK_DEFAULT, "-f", "json")

    expected = "calibrate: --parallelism applies only to argon2id; add argon2id or leave it out\n"
    assert (2, expected) == (refused.code, refused.err)
    assert {"scrypt": 1, "argon2id": 2} == {
        each["hasher"]: each["threads"] for each in json.loads(mixed.out)["measurements"]
    }


@pytest.mark.parametrize("hasher", ["scrypt", "argon2id", "yescrypt"])
def test_memory_limit(hasher: str) -> None:
    """No hash takes more memory than --memory allows, not even one that is only timed."""
    ended = calibrate(hasher, *QUICK_DEFAULT, "--memory", "3MiB", "--format", "json")
    profile = json.loads(ended.out)
    [row], [measurement] = profile["results"], profile["measurements"]
    [ladder] = [knob for knob in row["knobs"] if knob["scale"] == "ladder"]
    memory = [row["memory_bytes"], *(step["memory_bytes"] for step in row["neighbours"])]

    assert ended.code in RAN
    assert max(memory) <= 3 << 20
    timed = {sample["params"][ladder["name"]] for sample in measurement["samples"]}
    assert timed <= set(ladder["steps"])


def test_names_select() -> None:
    """Named hashers run in the order of their names, each once; an implementation can be
    chosen.
    """
    ended = calibrate("bcrypt", "pbkdf2-sha1@cryptography", "bcrypt", *QUICK, "--format", "json")

    assert ended.code in RAN
    assert ["bcrypt@bcrypt", "pbkdf2-sha1@cryptography"] == labels(ended.out)


def test_every_implementation() -> None:
    """--all runs every implementation and compares the work that the same time buys."""
    ended = calibrate("--all", *QUICK_DEFAULT, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(ended.out)))
    listed = json.loads(calibrate("hashers", "--format", "json").out)

    assert ended.code in RAN
    assert [(row["hasher"], row["implementation"]) for row in listed] == [
        (row["hasher"], row["implementation"]) for row in rows
    ]
    assert {label.partition("@")[0] for label in DEFAULTS} < {row["hasher"] for row in rows}
    assert all(float(row["relative_work"]) > 0 for row in rows)


def test_every_implementation_of_one() -> None:
    """--all with a name runs every implementation of that hasher alone."""
    ended = calibrate("bcrypt", "--all", *QUICK, "--format", "json")

    assert ["bcrypt@bcrypt", "bcrypt@libcrypt"] == labels(ended.out)


def test_target_is_kept() -> None:
    """The time at the recommended cost is at most the target, and the next step beyond it."""
    profile = json.loads(calibrate("bcrypt", *QUICK, "--format", "json").out)
    [row] = profile["results"]
    above = row["neighbours"][-1]

    assert 0.003 == profile["target_seconds"]
    assert row["time_seconds"] <= 0.003 < above["time_seconds"]
    assert row["params"]["cost"] + 1 == above["params"]["cost"]


@pytest.mark.parametrize(
    ("form", "start"),
    [
        ("table", "One hash in at most 100 ms, solved from measurements of 2026-11-20 09:08 UTC"),
        ("markdown", "One hash in at most 100 ms, solved from measurements of 2026-11-20 09:08"),
        ("json", '{\n  "schema": 1,'),
        (
            "csv",
            "hasher,implementation,implementation_version,params,parameter,value,time_seconds,",
        ),
    ],
)
def test_formats(form: str, start: str, tmp_path: Path) -> None:
    """Each format goes to standard output or, the same, whole into a file."""
    arguments = ("--from", str(MADE_UP), "--target", "100ms", "--format", form)
    printed = calibrate(*arguments)
    written = calibrate(*arguments, "--output", "result", cwd=tmp_path)

    assert start == printed.out[: len(start)]
    assert "" == written.out
    assert printed.code == written.code
    assert [tmp_path / "result"] == list(tmp_path.iterdir())
    assert printed.out == (tmp_path / "result").read_text("utf-8")


def test_output_replaces_a_file_as_a_whole(tmp_path: Path) -> None:
    """A file that was there is replaced, keeps its mode, and a link stays a link."""
    target, link = tmp_path / "real", tmp_path / "link"
    target.write_text("x" * 100_000)
    target.chmod(0o640)
    link.symlink_to(target)
    calibrate("--from", str(MADE_UP), "--format", "csv", "-o", str(link))

    assert link.is_symlink()
    assert 0o640 == target.stat().st_mode & 0o777
    assert target.read_text("utf-8").startswith("hasher,")
    assert {target, link} == set(tmp_path.iterdir())


def test_dash_is_standard_output(tmp_path: Path) -> None:
    """``-o -`` prints, and makes no file of that name."""
    ended = calibrate("--from", str(MADE_UP), "-o", "-", "--format", "csv", cwd=tmp_path)

    assert ended.out.startswith("hasher,")
    assert [] == list(tmp_path.iterdir())


def test_saved_profile_is_what_json_prints(tmp_path: Path) -> None:
    """--save keeps the same profile that --format json prints, and beside it only the host."""
    asked = ("bcrypt", *QUICK, "--format", "json", "--save", "kept.json")
    ended = calibrate(*asked, cwd=tmp_path)
    kept, printed = json.loads((tmp_path / "kept.json").read_text("utf-8")), json.loads(ended.out)

    assert ended.code in RAN
    assert {"name", "id"} == {*kept.pop("host")}
    assert printed.pop("host") is None
    assert kept == printed


def test_solves_a_saved_profile_again(tmp_path: Path) -> None:
    """A saved profile answers another target from the same samples."""
    calibrate("bcrypt", "pbkdf2-sha1", *QUICK, "--save", "kept.json", cwd=tmp_path)
    ended = calibrate(
        *("--from", "kept.json", "--target", "1s", "--format", "json"),
        *("--save", "again.json"),
        cwd=tmp_path,
    )
    kept = json.loads((tmp_path / "kept.json").read_text("utf-8"))
    again = json.loads(ended.out)

    assert 0 == ended.code
    assert ended.out == (tmp_path / "again.json").read_text("utf-8")
    assert (1.0, kept["created"]) == (again["target_seconds"], again["created"])
    assert kept["measurements"] == again["measurements"]
    for before, after in zip(kept["results"], again["results"], strict=True):
        assert before["model"] == after["model"]
        assert 0.5 <= after["time_seconds"] <= 1.0


def made_up() -> dict[str, Any]:
    """A profile of a hasher that no machine has: a second per round and half of one more."""
    profile: dict[str, Any] = json.loads(MADE_UP.read_text("utf-8"))
    model = {
        "fixed": {},
        "parameter": "rounds",
        "scale": "linear",
        "overhead_seconds": 0.5,
        "seconds_per_unit": 1.0,
    }
    knob = {"name": "rounds", "scale": "linear", "minimum": 1, "maximum": 50, "steps": []}
    name = {"hasher": "made-up", "implementation": "nowhere", "knobs": [knob]}
    params = {"rounds": 2}
    curve = profile["measurements"][0]["fitted"]["curves"][0] | {
        "params": params,
        "knob": knob,
        "model": model,
        "relative_interval": [2.4 / 2.5, 2.6 / 2.5],
    }
    measurement = profile["measurements"][0] | name | {"fitted": {"curves": [curve]}}
    times = {"time_seconds": 2.5, "cpu_seconds": 2.5, "interval_seconds": [2.4, 2.6]}
    row = profile["results"][0] | name | times | {"params": params, "model": model}
    measurement["samples"] = []
    return profile | {"measurements": [measurement], "results": [row], "warnings": []}


def test_from_times_nothing(tmp_path: Path) -> None:
    """--from answers from the profile's own times exactly, for a hasher that is not even here."""
    (tmp_path / "p.json").write_text(json.dumps(made_up()))
    ended = calibrate("--from", "p.json", "--target", "10s", "--format", "json", cwd=tmp_path)
    [row] = json.loads(ended.out)["results"]

    assert ended.code in RAN
    assert "file" not in ended.err
    assert ({"rounds": 9}, 9.5, None) == (row["params"], row["time_seconds"], row["wall_seconds"])
    assert [9.5 * 2.4 / 2.5, 9.5 * 2.6 / 2.5] == pytest.approx(row["interval_seconds"])


def test_from_selects_names() -> None:
    """Names select rows of a saved profile, with or without their implementation."""
    ended = calibrate("--from", str(MADE_UP), "sha256-crypt", "bcrypt@libcrypt", "-f", "json")

    assert ["sha256-crypt@passlib", "bcrypt@libcrypt"] == labels(ended.out)


def test_from_keeps_the_original(tmp_path: Path) -> None:
    """Solving again leaves the profile's file as it was."""
    copy = tmp_path / "p.json"
    copy.write_bytes(MADE_UP.read_bytes())
    calibrate("--from", str(copy), "--target", "1s")

    assert MADE_UP.read_bytes() == copy.read_bytes()


def test_unreachable_target_can_be_asked_again(tmp_path: Path) -> None:
    """A profile saved when the target was too slow answers a target within reach."""
    first = calibrate("bcrypt", *QUICK, "--target", "1us", "--save", "p.json", cwd=tmp_path)
    again = calibrate("--from", "p.json", "--target", "100ms", cwd=tmp_path)

    assert (5, 0) == (first.code, again.code)


def test_module_is_the_same_command() -> None:
    """``python -m hashcost`` is the same command under the same name."""
    module = (sys.executable, "-m", "hashcost")
    for arguments in (("--help",), ("hashers",), ("--from", str(MADE_UP)), ("--target", "40")):
        expected = calibrate(*arguments)
        assert expected == calibrate_installed(*arguments, command=module)


def test_version() -> None:
    """--version names the command and its version."""
    ended = calibrate_installed("--version")

    assert (0, f"calibrate, version {__version__}\n", "") == (ended.code, ended.out, ended.err)


def _runs(state_home: Path) -> list[dict[str, Any]]:
    """The runs that the history of this state folder holds."""
    found = json.loads((state_home / "hashcost" / "history.json").read_bytes())["runs"]
    assert isinstance(found, list)
    return found


def test_no_history_leaves_nothing(state_home: Path) -> None:
    """A run is remembered unless its state folder is no folder."""
    before = _runs(state_home)
    calibrate("bcrypt", *QUICK, env=NO_HISTORY)

    assert before == _runs(state_home)


TIMING: Final = {
    "recommend": ("bcrypt", "--target", "3ms", "--effort", "fast"),
    "emit": ("emit", "laravel", "--target", "3ms"),
    "check": ("check", "bcrypt=5", "--target", "3ms"),
    "explain": ("explain", "bcrypt=5"),
    "capacity": ("capacity", "bcrypt", "--target", "3ms", "--budget", "50ms"),
}
"""Commands that solve or judge by hashes that they time."""


@pytest.mark.parametrize("arguments", TIMING.values(), ids=TIMING)
def test_every_command_that_times_feeds_the_history(
    state_home: Path, arguments: tuple[str, ...]
) -> None:
    """Each leaves what it saw to later runs of any other; nothing if the core was never quiet."""
    before = len(_runs(state_home))
    for _ in range(3):
        if len(_runs(state_home)) == before:
            calibrate(*arguments)
    added = _runs(state_home)[before:]

    assert {"bcrypt"} == {k.partition("@")[0] for run in added for k in run["seconds_per_unit"]}


def test_a_sweep_leaves_the_history_as_it_is(tmp_path: Path) -> None:
    """A sweep may read what earlier runs saw of the core, and adds nothing."""
    env = {"XDG_STATE_HOME": str(tmp_path)}
    ended = calibrate("sweep", "bcrypt", "--costs", "4,5", "--budget", "0.1s", env=env)

    assert ended.code in RAN
    assert [] == list(tmp_path.iterdir())


def test_no_history_does_not_read(tmp_path: Path) -> None:
    """What the file says of the machine changes nothing for a run without a history."""
    env = {"XDG_STATE_HOME": str(tmp_path)}
    command = ("bcrypt", "--target", "3ms", "--effort", "fast", "--format", "json")
    calibrate(*command, env=env)
    without, with_it = (
        json.loads(calibrate(*command, env=home).out) for home in (NO_HISTORY, env)
    )

    def known(value: dict[str, Any]) -> int:
        count: int = value["measurements"][0]["fitted"]["curves"][0]["earlier_runs"]
        return count

    assert known(without) == 0
    assert known(with_it) in {0, 1}  # Runs that do not agree are not pooled.


def test_the_first_run_says_so(tmp_path: Path) -> None:
    """Only the first run with a history says that nothing is known of the machine yet."""
    env = {"XDG_STATE_HOME": str(tmp_path)}
    command = ("bcrypt", "--target", "3ms", "--effort", "fast")
    ended = [calibrate(*command, env=env) for _ in range(2)]

    assert [True, False] == ["first-run" in each.err for each in ended]


def test_unwritable_state_folder_is_left_alone(tmp_path: Path) -> None:
    """A state folder that cannot be made costs nothing but the history."""
    (tmp_path / "file").touch()
    ended = calibrate(
        *("bcrypt", "--target", "3ms", "--effort", "fast", "--quiet"),
        env={"XDG_STATE_HOME": str(tmp_path / "file")},
    )

    assert (0, "") == (ended.code, ended.err)


def test_no_secret_anywhere(tmp_path: Path) -> None:
    """No format, file or message holds a hash, a salt or the password that was hashed."""
    texts = []
    for form in FORMATS:
        saved = (tmp_path / "json.json").exists()
        measured = ("--from", "json.json") if saved else ("--effort", "fast", "--memory", "4MiB")
        ended = calibrate(
            *("--target", "5ms", *measured, "--format", form, "--save", f"{form}.json"),
            cwd=tmp_path,
            env={"XDG_STATE_HOME": str(tmp_path / "state")},
        )
        texts += [ended.out, ended.err]
    files = list(tmp_path.rglob("*.json"))
    texts += [file.read_text("utf-8") for file in files]
    secrets = [PROBE_PASSWORD.decode(), PROBE_SALT.decode(), "$2b$", "$5$", "$6$"]
    secrets += ["$7$", "$y$", "$argon2"]
    for row in json.loads((tmp_path / "json.json").read_bytes())["results"]:
        if "iterations" in row["params"]:
            digest = hashlib.pbkdf2_hmac(
                row["hasher"].removeprefix("pbkdf2-"),
                PROBE_PASSWORD,
                PROBE_SALT,
                row["params"]["iterations"],
            )
            secrets += [digest.hex(), digest.decode("latin-1")]
        elif "scrypt" == row["hasher"]:
            digest = hashlib.scrypt(
                PROBE_PASSWORD, salt=PROBE_SALT, maxmem=1 << 30, dklen=64, **row["params"]
            )
            secrets += [digest.hex(), digest.decode("latin-1")]

    assert {*FORMATS} <= {file.stem for file in files}
    assert [] == [secret for secret in secrets if any(secret in text for text in texts)]


@pytest.mark.parametrize(
    ("directory", "working"), [("bcrypt.py", False), (os.devnull, True)], ids=["broken", "sound"]
)
def test_hashers_says_what_works_here(directory: str, working: bool, tmp_path: Path) -> None:
    """`calibrate hashers` names every hasher, and why one does not work here."""
    if not working:
        (tmp_path / directory).write_text("raise ImportError('made unavailable')")
    ended = calibrate_installed("hashers", "--format", "json", libraries=tmp_path)
    listed = {f"{row['hasher']}@{row['implementation']}": row for row in json.loads(ended.out)}

    assert (0, "") == (ended.code, ended.err)
    runs = {label for label, row in listed.items() if row["default"]}
    stands_in = {"bcrypt@bcrypt"} if working else {"bcrypt@libcrypt"}
    assert set(DEFAULTS) - {"bcrypt@bcrypt"} | stands_in == runs
    assert working is listed["bcrypt@bcrypt"]["available"]
    assert working is ("made unavailable" not in str(listed["bcrypt@bcrypt"]["reason"]))
    assert listed["bcrypt@libcrypt"]["available"]
