"""A runner in a child process that is asked, and answers, in lines of JSON."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from hashcost.core.errors import UnavailableError, WrongAnswerError
from hashcost.core.measurement import Knob, Params, Sample
from hashcost.core.progress import Advance
from hashcost.hashers.registry import Candidate
from hashcost.measure.runner import Runner, StartRunner

CHILD: Final = """
import hashlib, json, sys, time
wrong = "--wrong" in sys.argv
for line in sys.stdin:
    asked = json.loads(line)
    salt, rounds = asked["salt"].encode(), asked["iterations"]
    cpu, wall = time.thread_time(), time.perf_counter()
    key = hashlib.pbkdf2_hmac("sha256", asked["password"].encode(), salt, rounds)
    cpu, wall = time.thread_time() - cpu, time.perf_counter() - wall
    print(json.dumps({"key": "00" if wrong else key.hex(), "cpu": cpu, "wall": wall}), flush=True)
"""
"""It could be any program: nothing of hashcost runs in it."""

_VECTOR: Final = "120fb6cffcf8b32c43e7225256c4f837a86548c92ccc35480805987cb70be17b"
"""PBKDF2-HMAC-SHA256 of "password" and "salt" with one iteration (RFC 7914, section 11)."""


@dataclass(frozen=True)
class ChildRunner:
    """Hashes PBKDF2-SHA256 in a child that speaks the line protocol."""

    child: subprocess.Popen[str]
    name: str = "pbkdf2-sha256"
    implementation: str = "hashlib"
    version: str = "child"
    drift: float = 0.01
    lowest: Params = field(default_factory=dict)
    knobs: tuple[Knob, ...] = ()

    @property
    def traits(self) -> ChildRunner:
        """Its own."""
        return self

    def memory_bytes(self, params: Params) -> int:
        """Hardly any."""
        return 1024

    def threads(self, params: Params) -> int:
        """One."""
        return 1

    @property
    def clock_name(self) -> str:
        """The child's."""
        return "thread_time"

    def prepare(self, progress: Advance) -> None:
        """Nothing to warm."""

    def check(self) -> None:
        """The child computes a published vector."""
        if self._asked("password", "salt", 1)["key"] != _VECTOR:
            raise WrongAnswerError("computed a wrong hash for a known answer (RFC 7914)")

    def warm_up(self, params: Params) -> None:
        """One hash that nobody times."""
        self.sample(params)

    def sample(self, params: Params) -> Sample:
        """The child times itself."""
        answer = self._asked("probe-pass12", "abcdefgh", params["iterations"])
        return Sample(params=params, cpu_seconds=answer["cpu"], wall_seconds=answer["wall"])

    def _asked(self, password: str, salt: str, iterations: int) -> dict[str, Any]:
        assert self.child.stdin is not None
        assert self.child.stdout is not None
        asked = {"password": password, "salt": salt, "iterations": iterations}
        self.child.stdin.write(json.dumps(asked) + "\n")
        self.child.stdin.flush()
        line = self.child.stdout.readline()
        if not line:
            raise UnavailableError("the child ended before it answered")
        answer: dict[str, Any] = json.loads(line)
        return answer


@contextmanager
def in_a_child(*options: str) -> Iterator[StartRunner]:
    """Runners of which each has a child of its own, for as long as the context lasts."""
    children: list[subprocess.Popen[str]] = []

    def start(candidates: Sequence[Candidate]) -> tuple[Candidate, Runner]:
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        children.append(child)
        first = candidates[0].load()
        return candidates[0], ChildRunner(child, lowest=first.lowest, knobs=first.knobs)

    try:
        yield start
    finally:
        for child in children:
            child.kill()
            child.communicate()
