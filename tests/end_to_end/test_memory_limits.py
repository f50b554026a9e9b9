"""Concurrent hashes under a real limit of memory: the address space of a process."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Final

import pytest

from end_to_end.command import COMMAND, RAN, TIMEOUT_SECONDS, environment

pytestmark = pytest.mark.slow

MIB: Final = 1 << 20

LOAD: Final = """
import resource, sys, threading
from argon2.low_level import Type, hash_secret_raw

memory_kib, hashes, room = map(int, sys.argv[1:])
threading.stack_size(256 << 10)
begun, failed = threading.Barrier(hashes + 1), []

def status(name):
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) << 10 for line in lines if line.startswith(name))

def work():
    try:
        begun.wait()
        for _ in range(2):
            hash_secret_raw(b"password", b"0123456789abcdef", 4, memory_kib, 1, 32, Type.ID)
    except Exception as error:
        failed.append(error)

threads = [threading.Thread(target=work) for _ in range(hashes)]
for thread in threads:
    thread.start()
resource.setrlimit(resource.RLIMIT_AS, (status("VmSize") + room,) * 2)
begun.wait()
for thread in threads:
    thread.join()
print(len(failed), status("VmHWM"))
"""
"""Runs so many argon2id hashes at once with so much memory to take; says how many failed."""

_CAN_LIMIT: Final = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (256 << 20,) * 2)
try:
    bytearray(512 << 20)
except MemoryError:
    print("limited")
"""


def _run(code: str, *arguments: object) -> str:
    ended = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        env={**environment(), "MALLOC_ARENA_MAX": "1"},
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=True,
    )
    return ended.stdout.strip()


@pytest.fixture(scope="module", autouse=True)
def _limits() -> None:
    """Skips where no limit holds."""
    if sys.platform != "linux":
        pytest.skip("reads Linux's /proc")
    if _run(_CAN_LIMIT) != "limited":
        pytest.skip("this system does not keep a process to its RLIMIT_AS")


def _calibrate(*arguments: str, limit: int | None = None) -> subprocess.CompletedProcess[str]:
    """Runs the command in a process of its own, whose memory is not the tests'."""
    limited = () if limit is None else ("prlimit", f"--as={limit}")
    return subprocess.run(
        [*limited, COMMAND, *arguments],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )


def _loaded(memory_kib: int, hashes: int, room: int) -> tuple[int, int]:
    """How many of so many concurrent hashes failed, and the most that their process held."""
    failed, held = map(int, _run(LOAD, memory_kib, hashes, room).split())
    return failed, held


def test_no_hash_is_recommended_that_the_process_cannot_make() -> None:
    """Under a limit of the process, what is recommended can be hashed within it."""
    ended = _calibrate(
        *("argon2id", "--effort", "fast", "--target", "60ms", "-f", "json"),
        limit=192 * MIB,
    )
    profile = json.loads(ended.stdout)
    [row] = profile["results"]

    assert ended.returncode in RAN
    assert row["memory_bytes"] <= 192 * MIB
    failed, _ = _loaded(row["params"]["memory_kib"], 1, 192 * MIB)
    assert failed == 0


def test_logins_within_a_memory() -> None:
    """The workers that hold a rate of logins have room in the memory together."""
    ended = _calibrate(
        *("capacity", "argon2id", "--logins", "100/s", "--p95", "40ms"),
        *("--budget", "1ms", "--memory-total", "96MiB", "-f", "json"),
    )
    found = json.loads(ended.stdout)
    shared = found["concurrency"]

    assert 96 * MIB == shared["memory_bytes"]
    assert 1 <= shared["at_once"] <= found["cpus"]
    room = shared["memory_bytes"] - shared["process_bytes"]
    assert all(level["memory_bytes"] <= room for level in found["levels"])
    assert shared["at_once"] * found["memory_bytes"] <= room
    assert shared["at_once"] == found["prediction"]["workers"]


def test_more_logins_at_once_than_have_room() -> None:
    """Twice as many workers as have room are not tried, and the command says so."""
    cost = "argon2id=m=32768,t=1,p=1"
    ended = _calibrate("capacity", cost, "--memory-total", "128MiB", "--budget", "1ms")
    told = " ".join((ended.stdout + ended.stderr).split())

    assert ended.returncode in RAN
    assert "MiB are left: no more than" in told
    assert "there is room for 2 of argon2id at once; beyond that it may be killed" in told


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--memory-total", "4MiB"), "--memory-total: the process itself uses"),
        (("--memory-total", "999999GiB"), "that this process may use; lower it"),
        (("--memory-total", "1000"), "1000"),
    ],
    ids=["too little", "too much", "no unit"],
)
def test_what_cannot_be_meant_is_refused(arguments: tuple[str, ...], words: str) -> None:
    """A number or a size that cannot hold ends with 2, and says why."""
    ended = _calibrate("capacity", "argon2id", *arguments)
    assert 2 == ended.returncode
    assert words in " ".join(ended.stderr.split())
