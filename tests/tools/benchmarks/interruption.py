"""Interruption: how long each command takes to end on Ctrl-C, in the middle of its work."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Final

from .fresh import Command, command
from .report import Report, Table, seconds, verdict
from .settings import Settings, counter

_LIMIT: Final = 0.5
_INTERRUPTED: Final = 130
_ENDLESS: Final = (
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
)
_COMMANDS: Final = {
    "bcrypt, a minute a hash": ("bcrypt", "--target", "60s"),
    "argon2id in 4 GiB": ("argon2id", "--target", "30s", "--memory", "4GiB"),
    "scrypt in 2 GiB": ("scrypt", "--target", "30s", "--memory", "2GiB"),
    "check": ("check", "bcrypt=18", "--target", "60s"),
    "sweep": ("sweep", "bcrypt", "--budget", "100s"),
    "capacity": ("capacity", "bcrypt=15"),
    "emit": ("emit", "go-bcrypt", "--target", "60s"),
    "audit of a file": ("audit", "lines"),
    "audit of a database": (
        "audit",
        "--database",
        "sqlite:///users.db",
        "--query",
        _ENDLESS,
    ),
    "scan": ("scan", "src"),
    "check of settings": ("check", "--app", "go-bcrypt", "src/0.go", "--target", "60s"),
}


def run(settings: Settings) -> Report:
    """Interrupt each command at random moments."""
    times = settings.size(4, 1)
    show = counter("interruption", times * len(_COMMANDS))
    chance = random.Random(16)
    rows, done = [], 0
    with command() as calibrate, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _prepare(folder)
        for told, arguments in _COMMANDS.items():
            taken, codes = [], []
            for _ in range(times):
                found = _interrupted(calibrate, arguments, folder, chance.uniform(0.6, 3.0))
                codes.append(found[0])
                taken.append(found[1])
                done += 1
                show(done)
            ended = sum(code == _INTERRUPTED for code in codes)
            met = max(taken) <= _LIMIT and {*codes} <= {0, 1, 3, _INTERRUPTED}
            rows.append((told, f"{ended} of {times}", seconds(max(taken)), verdict(met=met)))
    columns = ("what", "interrupted", "longest", "verdict")
    notes = (f"at most {seconds(_LIMIT)}; what was not interrupted had ended before",)
    return Report(tables=[Table("Ctrl-C in the middle of the work", columns, rows, notes)])


def _prepare(folder: Path) -> None:
    """Something to read that takes a while."""
    (folder / "lines").write_text("user:$6$rounds=5000$abcdefgh$short\n" * 3_000_000)
    (folder / "src").mkdir()
    call = "\th, _ := bcrypt.GenerateFromPassword([]byte(p), 9+1)\n"
    code = 'package a\nimport "golang.org/x/crypto/bcrypt"\nfunc f(p string) {\n'
    for number in range(200):
        (folder / "src" / f"{number}.go").write_text(code + call * 3000 + "}\n")
    sqlite3.connect(folder / "users.db").close()


def _interrupted(
    calibrate: Command, arguments: tuple[str, ...], folder: Path, after: float
) -> tuple[int, float]:
    """The code of a command that is interrupted so many seconds after its start, and how long
    it took to end.
    """
    with subprocess.Popen(
        [calibrate.path, *arguments],
        cwd=folder,
        env=os.environ | calibrate.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        time.sleep(after)
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        return process.wait(), time.monotonic() - began
