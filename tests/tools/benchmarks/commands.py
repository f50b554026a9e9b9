"""How long commands take on large inputs, and the memory they need."""

import contextlib
import json
import math
import random
import resource
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from corpora import cases
from fakes import slowed_profile
from hashcost.core.units import format_bytes, format_duration
from hashcost.source_code.rules import load_language
from hashcost.storage.profile import load_profile, save_profile
from made_up import PROFILE_FILE
from secret_files import FIXTURES
from sources import program, rules

from .fresh import Command, Finished, command, succeed
from .report import Report, Table, verdict
from .settings import FIVE, MEMORY_HARD, Settings, counter

_SMALL: Final = 80 * 2**20
_PASSLIB: Final[str] = cases(__file__, "commands.toml", "passlib")
"""It names the handler of each hash, and no cost."""


class _Timing(NamedTuple):
    """One command and its limits for a full-size input; memory is beyond that of one hash."""

    arguments: Sequence[str]
    most_seconds: float = math.inf
    most_bytes: float = math.inf

    @property
    def is_peer(self) -> bool:
        """Whether it is another program's command."""
        return self.arguments[0] == sys.executable

    @property
    def hashes(self) -> bool:
        """Whether the command measures hashers."""
        return self.arguments[0] in (*FIVE, *MEMORY_HARD)


_TIMINGS: Final = {
    "audit, lines": _Timing(("audit", "lines"), 8.0, 60 * 2**20),
    "audit, jsonl": _Timing(("audit", "jsonl", "--column", "password"), 8.0, 60 * 2**20),
    "passlib's identify, lines": _Timing((sys.executable, "-c", _PASSLIB, "lines")),
    **{
        f"scan of 10,000 files, {share} with a cost": _Timing(
            ("scan", share, "--profile", str(PROFILE_FILE)), 10.0
        )
        for share in ("5%", "100%")
    },
    "compare of 100 profiles": _Timing(("compare", "profiles"), 1.0),
    "report": _Timing(("report", "profile.json", "-o", "report.html"), 3.0),
    "the five hashers": _Timing((*FIVE, "--target", "40ms"), most_bytes=_SMALL),
    **{
        f"{hasher} at {target}": _Timing((hasher, "--target", target), most_bytes=_SMALL)
        for hasher in MEMORY_HARD
        for target in ("40ms", "250ms")
    },
}


def run(settings: Settings) -> Report:
    """Time each command."""
    rounds, share = settings.size(3, 1), 0.05 if settings.quick else 1.0
    show = counter("commands", len(_TIMINGS) * rounds)
    rows: list[tuple[str, ...]] = []
    with command() as calibrate, tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        _prepare(calibrate, share)
        for what, timing in _TIMINGS.items():
            runs = [_finished(calibrate, timing) for _ in range(rounds)]
            rows.append(_row(what, timing, runs, quick=settings.quick))
            show(len(rows) * rounds)
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    notes = [
        f"audit: {1_000_000 * share:,.0f} hashes of real programs",
        f"less than the benchmark's own {format_bytes(own)} cannot be seen",
    ]
    columns = ("what", "median", "largest peak", "beyond one hash", "verdict")
    return Report([Table(f"Commands on large inputs, runs: {rounds}", columns, rows, notes)])


def _finished(calibrate: Command, timing: _Timing) -> Finished:
    if timing.is_peer:
        return succeed(timing.arguments)
    form = ("--format", "json") if timing.hashes else ()
    return calibrate.answer(*timing.arguments, *form)


def _row(what: str, timing: _Timing, runs: Sequence[Finished], *, quick: bool) -> tuple[str, ...]:
    taken = statistics.median(run.wall_seconds for run in runs)
    peak = max(run.peak_bytes for run in runs)
    hashing = [
        max(row["memory_bytes"] for row in json.loads(run.output)["results"])
        for run in runs
        if timing.hashes
    ]
    beyond = peak - min(hashing, default=0)
    met = taken <= timing.most_seconds and beyond <= timing.most_bytes
    judged = "" if timing.is_peer or quick else verdict(met=met)
    return (
        what,
        format_duration(taken),
        format_bytes(peak),
        format_bytes(beyond) if hashing else "",
        judged,
    )


def _prepare(calibrate: Command, share: float) -> None:
    """Write the inputs into the current folder."""
    chance = random.Random(20261120)
    fixtures = [json.loads(row)["hash"] for row in FIXTURES.read_text("utf-8").splitlines()]
    printable = [text for text in fixtures if text.isprintable()]
    hashes = chance.choices(printable, k=int(1_000_000 * share))
    Path("lines").write_text("".join(f"{text}\n" for text in hashes), "utf-8")
    with Path("jsonl").open("w", encoding="utf-8") as stream:
        stream.writelines(json.dumps({"password": text}) + "\n" for text in hashes)
    for name, part in (("5%", 0.05), ("100%", 1.0)):
        _write_sources(Path(name), int(10_000 * share), part, chance)
    calibrate.call("--target", "40ms", "--save", "profile.json", "--quiet")
    profile = load_profile(Path("profile.json"))
    Path("profiles").mkdir()
    for index in range(100):
        slowed = slowed_profile(profile, chance.uniform(0.5, 2.0))
        save_profile(slowed, Path(f"profiles/web{index:03}.json"))


def _write_sources(root: Path, files: int, share: float, chance: random.Random) -> None:
    """Write files of all languages; each of `share` holds the example of a rule."""
    examples = [(language.language, rule.example) for language, rule in rules()]
    for number in range(files):
        language, example = examples[number % len(examples)]
        folder = root / f"package{number % 97}" / f"part{number % 13}"
        folder.mkdir(parents=True, exist_ok=True)
        mark = "#" if language in {"python", "ruby", "elixir"} else "//"
        comment = f"{mark} one of many lines that say nothing about hashes\n"
        text = program(language, example if chance.random() < share else "") + comment * 150
        suffix = next(iter(load_language(language).grammars))
        (folder / f"file{number}{suffix}").write_text(text, "utf-8")
