"""The peers as data, how to install and ask them, and what times their hashes."""

import hashlib
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import bcrypt
import msgspec

from end_to_end.real_programs import CACHE
from tools.benchmarks.programs.process import AbsentProgramError, Program

HERE: Final = Path(__file__).parent
BUILT: Final = CACHE / "hashcost-peers"
_PLACES: Final = {
    "python": sys.executable,
    "calibrate": str(Path(sys.executable).with_name("calibrate")),
    "jars": f"{BUILT}/jars",
    "bin": f"{BUILT}/bin",
}
_PASSWORD: Final = b"probe-pass12"
_NEAR: Final = 1.12
"""What is no further above the quiet ratio of two hashes is of a core that nobody shared."""
_PATIENCE: Final = "45"
"""Seconds until a calibrator has no answer."""

Params = dict[str, int]


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What a calibrator said."""

    params: Params
    """Empty if there was no answer."""
    interval: tuple[float, float] | None
    """Seconds, if it gives them."""
    wall: float
    code: int


class Peer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One calibrator."""

    name: str
    hasher: str
    install: str = ""
    absent: str = ""
    run: list[str] = []
    before: int = 0
    needed: bool = False
    answer: str = ""
    library: str = ""
    asks: str = ""

    @property
    def title(self) -> str:
        """A name of its own."""
        return f"{self.hasher}, {self.name}"

    def ask(self, seconds: float, folder: Path) -> Answer:
        """Run it once."""
        start = time.perf_counter()
        command = _filled(self.run, ms=f"{seconds * 1e3:.0f}")
        ended = _ended(["timeout", _PATIENCE, *command], folder)
        wall = time.perf_counter() - start
        if ended.returncode == 127:
            raise AbsentProgramError("it is not installed")
        found = re.search(self.answer, ended.stdout, re.DOTALL)
        said = {} if found is None else found.groupdict()
        interval = (float(said.pop("low")), float(said.pop("high"))) if "low" in said else None
        params = {key: int(value) for key, value in said.items()}
        if "per_second" in params:
            params = {"iterations": round(params["per_second"] * seconds)}
        return Answer(params=params, interval=interval, wall=wall, code=ended.returncode)


class Library(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What hashes: a program that answers lines or, with `less`, one that hashes once."""

    run: list[str]
    less: list[str] = []
    warm_seconds: float = 0.5


class Data(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`peers.toml`."""

    library: dict[str, Library]
    peer: list[Peer]


DATA: Final = msgspec.toml.decode((HERE / "peers.toml").read_bytes(), type=Data)


def install() -> None:
    """Install each, and name what cannot be had; Debian's packages need root."""
    (BUILT / "bin").mkdir(parents=True, exist_ok=True)
    places = {"BUILT": str(BUILT), "HERE": str(HERE), "DEBIAN_FRONTEND": "noninteractive"}
    for peer in DATA.peer:
        quietly = "apt-get -qq -y --no-install-recommends install"
        script = peer.install.replace("apt-get install", quietly)
        ended = _ended(["sh", "-euc", script], HERE, os.environ | places)
        failed = ended.stdout.strip() if ended.returncode else ""
        if peer.absent or peer.install:
            print(f"{peer.title}: {peer.absent or failed or 'installed'}", flush=True)


class Libraries:
    """Times the hashes that were answered; each program starts when it is first asked."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._programs: dict[str, Program] = {}
        self._timed: dict[str, list[tuple[float, float]]] = defaultdict(list)
        self._last: dict[str, tuple[Peer, Params]] = {}

    def time(self, peer: Peer, params: Params, hashes: int) -> None:
        """Hash so often; all that is known of a library and cost counts for its truth."""
        if not params or not all(params.values()):
            return
        key, units = _units(peer, params)
        self._last[key] = (peer, params)
        cpus = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {min(cpus)})
        try:
            self._cpu_seconds(peer, params)  # Untimed: after a pause it may take 5 % longer.
            for _ in range(hashes):
                before = _sharing()
                seconds = self._cpu_seconds(peer, params) / units
                self._timed[key].append((max(before, _sharing()), seconds))
        finally:
            os.sched_setaffinity(0, cpus)

    def time_again(self, hashes: int) -> None:
        """Time each library and setting so often more, in turn: some were answered only once."""
        for peer, params in list(self._last.values()) * hashes:
            self.time(peer, params, 1)

    def truth(self, peer: Peer, params: Params) -> float:
        """The median of the seconds that a hash takes on a core that nobody shares.

        No passes take none. Where the core was shared each time, the median of all.
        """
        key, units = _units(peer, params)
        if not self._timed[key]:
            return 0.0
        seen = sorted(sharing for timed in self._timed.values() for sharing, _ in timed)
        quiet = [
            each for sharing, each in self._timed[key] if sharing < _NEAR * seen[len(seen) // 10]
        ]
        seconds = statistics.median(quiet or [each for _, each in self._timed[key]])
        return seconds * units / params.get("parallelism", 1)

    def close(self) -> None:
        """End the programs."""
        while self._programs:
            self._programs.popitem()[1].close()

    def _cpu_seconds(self, peer: Peer, params: Params) -> float:
        """One hash, by all threads of the library's process."""
        kind, *rest = peer.library.split()
        library = DATA.library[kind]
        if library.less:
            stored = _stored(params) if "{stored}" in library.run else ""
            command = _filled(library.run, stored=stored)
            return self._of_children(command) - self._of_children(_filled(library.less))
        line = peer.asks.format(**params) if peer.asks else json.dumps(params)
        if peer.library not in self._programs:
            self._programs[peer.library] = Program([*_filled(library.run), *rest])
            start = time.monotonic()
            while time.monotonic() < start + library.warm_seconds:
                self._programs[peer.library].answer(line)
        return self._programs[peer.library].cpu_seconds(line)

    def _of_children(self, command: Sequence[str]) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        ended = _ended(command, self.folder)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if ended.returncode:
            raise AbsentProgramError(f"{command[0]}: {ended.stdout.strip()[-200:]}")
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _sharing() -> float:
    """How long a hash bound by throughput takes beside one bound by latency.

    A stranger on the other half of the core slows the first by half, the second by a tenth;
    the clock slows both alike.
    """
    start = time.thread_time()
    hashlib.pbkdf2_hmac("sha256", _PASSWORD, _PASSWORD, 10_000)
    middle = time.thread_time()
    bcrypt.hashpw(_PASSWORD, b"$2b$06$abcdefghijklmnopqrstuu")
    return (middle - start) / (time.thread_time() - middle)


def _units(peer: Peer, params: Params) -> tuple[str, float]:
    """What shares a time for each unit of work, and how many units these params are."""
    match params:
        case {"cost": cost}:
            return peer.library, 2.0**cost
        case {"iterations": iterations}:
            return peer.library, iterations
        case _:
            return f"{peer.library} {params}", 1


def _ended(
    command: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        cwd=folder,
        env=environment,
        check=False,
    )


def _filled(command: Sequence[str], **values: str) -> list[str]:
    """The command with what stands in braces filled in, where it is one of ours."""
    known = {**_PLACES, **values}
    return [re.sub(r"\{(\w+)\}", lambda m: known.get(m[1], m[0]), word) for word in command]


def _stored(params: Params) -> str:
    """Hash by another library, to verify it by this one."""
    if "cost" in params:
        return bcrypt.hashpw(_PASSWORD, bcrypt.gensalt(params["cost"])).decode()
    from argon2.low_level import Type, hash_secret

    costs = (params["time_cost"], params["memory_kib"], params["parallelism"])
    return hash_secret(_PASSWORD, b"QPONMLKJIHGFedcb", *costs, 32, Type.ID).decode()
