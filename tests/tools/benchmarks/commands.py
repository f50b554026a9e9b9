"""How long commands take on large inputs, the memory they need, and how soon Ctrl-C ends them."""

from __future__ import annotations

import base64
import csv
import io
import json
import math
import os
import random
import resource
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from fakes import slowed_profile
from hashcost.documents.profile import load_profile, save_profile
from hashcost.source_code.rules import LANGUAGES, load_language
from made_up import PROFILE_FILE
from secret_files import FIXTURES

from .fresh import Command, Finished, command, succeed
from .report import Report, Table, mebibytes, seconds, verdict
from .settings import FIVE, MEMORY_HARD, Settings, counter

_SMALL: Final = 80 * 2**20
_PASSLIB: Final = """\
import sys
from passlib.context import CryptContext
from passlib.registry import list_crypt_handlers

unfit = {"django_disabled", "unix_disabled", "unix_fallback", "plaintext", "ldap_plaintext"}
context = CryptContext([name for name in list_crypt_handlers() if name not in unfit])
with open(sys.argv[1], encoding="utf-8") as lines:
    for line in lines:
        context.identify(line.rstrip("\\n"))
"""
"""It names the handler of each hash, and no cost."""
_ENDLESS: Final = (
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
)


@dataclass(frozen=True, kw_only=True)
class _Timing:
    """One command and its limits for a full-size input."""

    arguments: Sequence[str]
    most_seconds: float | None = None
    most_bytes: int | None = None
    """Beyond one hash, where the command hashes."""
    peer: bool = False
    """Whether it is another program's command."""

    @property
    def hashes(self) -> bool:
        """Whether the command measures hashers."""
        return self.arguments[0] in (*FIVE, *MEMORY_HARD)


_TIMINGS: Final[dict[str, _Timing]] = {
    **{
        f"audit, {layout}": _Timing(
            arguments=("audit", layout, *column), most_seconds=8.0, most_bytes=60 * 2**20
        )
        for layout, column in {
            "lines": (),
            "users": (),
            "ldif": (),
            "csv": ("--column", "password"),
            "jsonl": ("--column", "password"),
        }.items()
    },
    "passlib's identify, lines": _Timing(
        arguments=(sys.executable, "-c", _PASSLIB, "lines"), peer=True
    ),
    **{
        f"scan of 10,000 files, {share} with a cost": _Timing(
            arguments=("scan", share, "--profile", str(PROFILE_FILE)),
            most_seconds=10.0,
        )
        for share in ("5%", "100%")
    },
    "compare of 100 profiles": _Timing(arguments=("compare", "profiles"), most_seconds=1.0),
    "report": _Timing(arguments=("report", "profile.json", "-o", "report.html"), most_seconds=3.0),
    "the five hashers": _Timing(arguments=(*FIVE, "--target", "40ms"), most_bytes=_SMALL),
    **{
        f"{hasher} at {target}": _Timing(arguments=(hasher, "--target", target), most_bytes=_SMALL)
        for hasher in MEMORY_HARD
        for target in ("40ms", "250ms")
    },
}
_INTERRUPTED: Final[dict[str, Sequence[str]]] = {
    "bcrypt, a minute a hash": ("bcrypt", "--target", "60s"),
    "argon2id in 4 GiB": ("argon2id", "--target", "30s", "--memory", "4GiB"),
    "check": ("check", "bcrypt=18", "--target", "60s"),
    "sweep": ("sweep", "bcrypt", "--budget", "100s"),
    "capacity": ("capacity", "bcrypt=15"),
    "emit": ("emit", "go-bcrypt", "--target", "60s"),
    "audit of a file": ("audit", "users"),
    "audit of a database": ("audit", "--database", "sqlite:///users.db", "--query", _ENDLESS),
    "scan": ("scan", "100%"),
}
_SOON: Final = 0.5


def run(settings: Settings) -> Report:
    """Time each command, then interrupt some at random moments."""
    rounds = settings.size(3, 1)
    share = 0.05 if settings.quick else 1.0
    show = counter("commands", (len(_TIMINGS) + len(_INTERRUPTED)) * rounds)
    chance = random.Random(16)
    before = Path.cwd()
    with command() as calibrate, tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            _prepare(calibrate, share)
            timed: list[tuple[str, ...]] = []
            for name, timing in _TIMINGS.items():
                runs = [_finished(calibrate, timing) for _ in range(rounds)]
                timed.append(_row(name, timing, runs, quick=settings.quick))
                show(len(timed) * rounds)
            ended: list[tuple[str, ...]] = []
            for name, arguments in _INTERRUPTED.items():
                delays = [chance.uniform(0.6, 3.0) for _ in range(rounds)]
                taken = max(_interrupted(calibrate, arguments, delay) for delay in delays)
                ended.append((name, seconds(taken), verdict(met=taken <= _SOON)))
                show((len(timed) + len(ended)) * rounds)
        finally:
            os.chdir(before)
    columns = ("what", "median", "largest peak", "beyond one hash", "verdict")
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    notes = [
        f"audit: {1_000_000 * share:,.0f} hashes of real programs",
        f"less than the benchmark's own {mebibytes(own)} cannot be seen",
    ]
    title = f"Ctrl-C ends a command within {seconds(_SOON)}"
    return Report(
        [
            Table(f"Commands on large inputs, runs: {rounds}", columns, timed, notes),
            Table(title, ("what", "longest", "verdict"), ended),
        ]
    )


def _finished(calibrate: Command, timing: _Timing) -> Finished:
    if timing.peer:
        return succeed(timing.arguments)
    form = ("--format", "json") if timing.hashes else ()
    return calibrate.call(*timing.arguments, *form)


def _row(name: str, timing: _Timing, runs: Sequence[Finished], *, quick: bool) -> tuple[str, ...]:
    taken = statistics.median(run.wall_seconds for run in runs)
    peak = max(run.peak_bytes for run in runs)
    hashing = [
        max(row["memory_bytes"] for row in json.loads(run.output)["results"])
        for run in runs
        if timing.hashes
    ]
    beyond = peak - min(hashing, default=0)
    met = taken <= (timing.most_seconds or math.inf) and beyond <= (timing.most_bytes or math.inf)
    judged = "" if timing.peer or quick else verdict(met=met)
    return (name, seconds(taken), mebibytes(peak), mebibytes(beyond) if hashing else "", judged)


def _interrupted(calibrate: Command, arguments: Sequence[str], delay: float) -> float:
    """Seconds from SIGINT, `delay` after the start, to the end."""
    with subprocess.Popen(
        [calibrate.path, *arguments],
        env=os.environ | calibrate.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        time.sleep(delay)
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.wait()
        return time.monotonic() - began


def _prepare(calibrate: Command, share: float) -> None:
    """Write the inputs into the current folder."""
    chance = random.Random(20261120)
    rows = map(json.loads, FIXTURES.read_text("utf-8").splitlines())
    made = [row["hash"] for row in rows if row["hash"].isprintable()]
    hashes = chance.choices(made, k=int(1_000_000 * share))
    for layout, line in _LAYOUTS.items():
        with Path(layout).open("w", encoding="utf-8", newline="") as stream:
            stream.write("id,name,password\r\n" * (layout == "csv"))
            stream.writelines(line(index, text) for index, text in enumerate(hashes))
    for name, part in (("5%", 0.05), ("100%", 1.0)):
        _write_sources(Path(name), int(10_000 * share), part, chance)
    calibrate.call("--target", "40ms", "--save", "profile.json", "--quiet")
    profile = load_profile(Path("profile.json"))
    Path("profiles").mkdir()
    for index in range(100):
        save_profile(
            slowed_profile(profile, chance.uniform(0.5, 2.0)), Path(f"profiles/web{index:03}.json")
        )
    sqlite3.connect("users.db").close()


def _csv_line(index: int, text: str) -> str:
    stream = io.StringIO()
    csv.writer(stream).writerow((index, f"user{index}", text))
    return stream.getvalue()


def _entry(index: int, text: str) -> str:
    line = f"userPassword:: {base64.b64encode(text.encode()).decode()}"
    folded = "\n ".join(line[at : at + 76] for at in range(0, len(line), 76))
    return f"dn: uid=user{index},dc=example,dc=org\nobjectClass: inetOrgPerson\n{folded}\n\n"


_LAYOUTS: Final[dict[str, Callable[[int, str], str]]] = {
    "lines": lambda _, text: f"{text}\n",
    "users": lambda index, text: f"user{index}:{text}\n",
    "ldif": _entry,
    "csv": _csv_line,
    "jsonl": lambda index, text: json.dumps({"id": index, "password": text}) + "\n",
}


def _write_sources(root: Path, files: int, share: float, chance: random.Random) -> None:
    """Write files of all languages; each of `share` holds the example of a rule."""
    rules = [(language, rule) for language in map(load_language, LANGUAGES)
             for rule in language.rule]  # fmt: skip
    for number in range(files):
        language, rule = rules[number % len(rules)]
        folder = root / f"package{number % 97}" / f"part{number % 13}"
        folder.mkdir(parents=True, exist_ok=True)
        example = rule.example if chance.random() < share else ""
        head, tail = {
            "php": ("<?php\n", ""),
            "go": ("package a\nfunc f() {\n", "\n}"),
            "java": ("class A { void F() {\n", "\n} }"),
            "csharp": ("class A { void F() {\n", "\n} }"),
        }.get(language.language, ("", ""))
        mark = "#" if language.language in {"python", "ruby", "elixir"} else "//"
        comment = f"{mark} one of many lines that say nothing about hashes\n"
        text = f"{head}{example}{tail}\n{comment * 150}"
        (folder / f"file{number}{next(iter(language.grammars))}").write_text(text)
