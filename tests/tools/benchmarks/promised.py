"""Promised against achieved: what `emit` says a cost takes, and what the program takes.

A profile of the stand-ins is measured once; then each application that can be run here
is given what `calibrate emit` writes for the target, and hashes with it. CPU time of a
quiet core is what is promised, so the second quickest of the hashes is held to it.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hashcost.apps.registry import load_tunable
from hashcost.core.units import format_setting

from .factors import scheme_of, warmed
from .fresh import SOME_ROWS_FAILED, Command, CommandError, command
from .fresh import run as finish
from .programs.cases import Case, cases
from .programs.process import AbsentProgramError
from .report import Report, Table, change, seconds, verdict
from .settings import Settings, counter

TARGET: Final = "100ms"
_PROFILE_TARGET: Final = "200ms"
"""A library that is quicker than its stand-in takes more of it."""

_LIMIT: Final = 0.15
_TAKES: Final = re.compile(r"takes ([\d.]+) (ms|s) of ")


@dataclass(frozen=True, kw_only=True)
class _Trial:
    """One application's hash."""

    case: Case
    params: Mapping[str, int]
    promised: tuple[float, float]
    """From the quickest to the slowest build of its library, if they differ."""
    taken: tuple[float, ...]

    @property
    def achieved(self) -> float:
        """One hash on a quiet core."""
        return sorted(self.taken)[1]

    @property
    def off(self) -> float:
        """How far it is from what was promised."""
        low, high = self.promised
        nearest = min(max(self.achieved, low), high)
        return self.achieved / nearest - 1


def run(settings: Settings) -> Report:
    """Emit for each application, and hash."""
    known = [case for case in cases() if not case.from_kib]
    hashes = settings.size(16, 4)
    show = counter("promised", len(known))
    trials: list[_Trial] = []
    absent: list[str] = []
    with command() as calibrate, tempfile.TemporaryDirectory() as folder:
        profile = Path(folder) / "profile.json"
        labels = sorted({_stand_in(case) for case in known})
        options = (*labels, "--target", _PROFILE_TARGET, "--save", str(profile), "--quiet")
        saved = finish([calibrate.path, *options], calibrate.environment)
        if saved.exit_code and saved.exit_code not in SOME_ROWS_FAILED:
            raise CommandError(saved.errors)
        for index, case in enumerate(known):
            try:
                trials.append(_tried(calibrate, case, profile, hashes))
            except AbsentProgramError as error:
                absent.append(f"{case.app} {case.hasher}: {error}")
            show(index + 1)
    title = f"promised: one hash for {TARGET}, by `calibrate emit` and by the program itself"
    notes = [f"limit: ±{_LIMIT:.0%}", *(f"absent: {reason}" for reason in absent)]
    return Report([Table(title, _COLUMNS, [_row(trial) for trial in trials], notes)])


def _stand_in(case: Case) -> str:
    reference = scheme_of(case).reference
    assert reference is not None
    return f"{case.hasher}@{reference.implementation}"


def _tried(calibrate: Command, case: Case, profile: Path, hashes: int) -> _Trial:
    """What is emitted for one application, hashed by it."""
    emitted = finish(
        [
            *(calibrate.path, "emit", case.app, "--hasher", case.hasher),
            *("--target", TARGET, "--from", str(profile)),
        ],
        calibrate.environment,
    )
    snippet = emitted.output.decode()
    told = _TAKES.search(snippet)
    if told is None:
        raise AbsentProgramError((emitted.errors.strip().splitlines() or ["nothing emitted"])[-1])
    (found,) = load_tunable(case.app).read(snippet)
    with closing(case.start()) as program:
        request = case.request(found.params, 1)
        warmed(program, request, case.warm_up)
        taken = tuple(program.cpu_seconds(request) / (1 + case.first) for _ in range(hashes))
    reference = scheme_of(case).at(found.params).reference
    assert reference is not None
    most = float(told[1]) * (1e-3 if told[2] == "ms" else 1)
    least = most * reference.least_factor / reference.factor
    return _Trial(case=case, params=found.params, promised=(least, most), taken=taken)


def _row(trial: _Trial) -> tuple[str, ...]:
    low, high = trial.promised
    return (
        trial.case.app,
        trial.case.hasher,
        format_setting(trial.params),
        seconds(high) if low == high else f"{seconds(low)} … {seconds(high)}",
        seconds(trial.achieved),
        change(trial.off),
        verdict(met=abs(trial.off) <= _LIMIT),
        trial.case.build,
    )


_COLUMNS: Final = ("app", "hasher", "cost", "promised", "achieved", "off", "verdict", "what")
