"""The planner against recordings: thousands of runs in a minute, the same each time.

Runs start at random moments of a recording. The first has no history; those that follow
have that of the ones before. Beside it, what others do with the same recording.
"""

from __future__ import annotations

import random
import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Final

from hashcost.cli.output import exit_code
from hashcost.core.measurement import work
from hashcost.core.profile import Recommendation
from hashcost.recommend.calibration import calibrate
from hashcost.verdicts.check import check_all, confirmed
from hashcost.verdicts.judgement import TIMED, Configured, Outcome, Standard
from hashcost.verdicts.live_check import measure

from .recording import FOLDER, NAMES, Memory, Recording, Replay
from .report import Report, Table, cpu_count, percent, verdict
from .settings import FIVE, STEP_HASHERS, TARGET_SECONDS, Settings

_RUNS_IN_A_ROW: Final = 12
_FIRST_RUNS: Final = 3
"""For each row of runs, so many first ones."""
_KNOWN_FROM: Final = 3
"""From here on a run counts as one with history."""
_LONGEST: Final = 8.0
"""No run starts so close to the recording's end."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What one run said of one hasher."""

    error: float
    """Of the recommended cost against the recording's quiet rate; of a step, 0 if it is right."""
    covered: bool
    half_width: float
    code: int
    seconds: float


def run(settings: Settings) -> Report:
    """Simulate as many rows of runs as were asked for on each recording."""
    rows = settings.size(40, 8)
    with ProcessPoolExecutor(cpu_count()) as pool:
        parts = list(pool.map(_simulated, [(name, rows) for name in NAMES]))
    return Report(tables=[table for part in parts for table in part])


def _simulated(asked: tuple[str, int]) -> list[Table]:
    name, rows = asked
    recording = Recording(FOLDER / f"{name}.csv.gz")
    truth = {hasher: recording.quiet_rate(hasher) for hasher in FIVE}
    first: list[dict[str, Answer]] = []
    known: list[dict[str, Answer]] = []
    for row in range(rows * _FIRST_RUNS):
        chance, history = random.Random(f"{name} {row}"), Memory()
        for index in range(_RUNS_IN_A_ROW if row < rows else 1):
            start = chance.uniform(0.0, recording.seconds - _LONGEST)
            found = _run(Replay(recording, start, history), truth)
            if index == 0:
                first.append(found)
            elif index >= _KNOWN_FROM:
                known.append(found)
    peers = [
        (label, list(_peer_errors(method, recording, truth, rows * 10)))
        for label, method in _PEERS.items()
    ]
    return [
        _checks(recording, truth, rows),
        _table(
            f"{name}: shared {percent(recording.shared_share)} of the time", first, known, peers
        ),
    ]


def _checks(recording: Recording, truth: dict[str, float], rows: int) -> Table:
    """`calibrate check` without a profile or a history, of costs that are right and too weak."""
    chance, found = random.Random(recording.name), Counter[tuple[bool, bool]]()
    names = [name for name in FIVE if name not in STEP_HASHERS]
    for _ in range(rows):
        replay = Replay(recording, chance.uniform(0.0, recording.seconds - _LONGEST), Memory())
        for weak in (False, True):
            costs = [
                Configured(
                    hasher=name,
                    implementation=None,
                    params={"iterations": int(TARGET_SECONDS / truth[name] / (2 if weak else 1))},
                )
                for name in names
            ]
            standard = Standard(target_seconds=TARGET_SECONDS)
            timed = partial(
                measure,
                standard=standard,
                host=replay.host,
                start=replay.start,
                probe=replay.probe,
            )
            judged = check_all(costs, timed(costs), standard)
            if any(each.outcome in TIMED for each in judged):
                doubted = [
                    cost for cost, each in zip(costs, judged, strict=True) if each.outcome in TIMED
                ]
                judged = confirmed(judged, check_all(doubted, timed(doubted[::-1]), standard))
            found.update((weak, each.outcome is Outcome.DRIFTED) for each in judged)
    checks = rows * len(names)
    return Table(
        title=f"{recording.name}: calibrate check without profile or history, {checks} costs each",
        columns=("what", "called drifted", "verdict"),
        rows=[
            (
                "a cost that is right",
                str(found[False, True]),
                verdict(met=not found[False, True]),
            ),
            (
                "half of it",
                str(found[True, True]),
                verdict(met=found[True, True] >= 0.9 * checks),
            ),
        ],
    )


def _run(replay: Replay, truth: dict[str, float]) -> dict[str, Answer]:
    profile = calibrate(
        TARGET_SECONDS, FIVE, host=replay.host, start=replay.start, probe=replay.probe
    )
    code = exit_code(profile, named=True)
    return {
        row.hasher: _outcome(row, truth[row.hasher], code, profile.duration_seconds)
        for row in profile.recommendations
    }


def _outcome(row: Recommendation, rate: float, code: int, seconds: float) -> Answer:
    (value,) = row.params.values()
    scale = row.knobs[0].scale
    true_seconds = work(scale, value) * rate
    low, high = row.interval_seconds or (0.0, 0.0)
    if row.hasher in STEP_HASHERS:
        right = max(v for v in range(4, 32) if work(scale, v) * rate <= TARGET_SECONDS)
        error = 0.0 if value == right else 1.0
    else:
        error = true_seconds / TARGET_SECONDS - 1
    return Answer(
        error=error,
        covered=low <= true_seconds <= high,
        half_width=row.error_fraction or float("inf"),
        code=code,
        seconds=seconds,
    )


def _second_smallest(replay: Replay) -> Iterator[tuple[str, float]]:
    """The estimator before this one: the second smallest of twelve hashes of 8 ms, in turn."""
    runners = {name: replay.recorded(name) for name in FIVE}
    times: dict[str, list[float]] = {name: [] for name in FIVE}
    for _ in range(12):
        for name, runner in runners.items():
            units = runner.units_of(8e-3)
            times[name].append(runner.run_units(units)[0] / units)
    yield from ((name, sorted(each)[1]) for name, each in times.items())


def _choose_rounds(replay: Replay) -> Iterator[tuple[str, float]]:
    """Passlib's choose_rounds.py: the smallest of four means of four wall times."""
    for name in FIVE:
        runner = replay.recorded(name)
        units = runner.units_of(TARGET_SECONDS)
        means = [
            statistics.fmean(runner.run_units(units)[1] / units for _ in range(4))
            for _ in range(4)
        ]
        yield name, min(means)


def _one_hash(replay: Replay) -> Iterator[tuple[str, float]]:
    """bcrypt-ruby's calibrate: the wall time of one hash."""
    for name in FIVE:
        runner = replay.recorded(name)
        units = runner.units_of(TARGET_SECONDS)
        yield name, runner.run_units(units)[1] / units


_PEERS: Final[dict[str, Callable[[Replay], Iterator[tuple[str, float]]]]] = {
    "second smallest of 12": _second_smallest,
    "choose_rounds (passlib)": _choose_rounds,
    "one hash (bcrypt-ruby)": _one_hash,
}


def _peer_errors(
    method: Callable[[Replay], Iterator[tuple[str, float]]],
    recording: Recording,
    truth: dict[str, float],
    runs: int,
) -> Iterator[float]:
    """Of the hashers that count iterations."""
    chance = random.Random(recording.name)
    for _ in range(runs):
        start = chance.uniform(0.0, recording.seconds - _LONGEST)
        for name, rate in method(Replay(recording, start, Memory())):
            if name not in STEP_HASHERS:
                yield truth[name] / rate - 1


def _table(
    title: str,
    first: Sequence[dict[str, Answer]],
    known: Sequence[dict[str, Answer]],
    peers: Sequence[tuple[str, list[float]]],
) -> Table:
    rows = [
        _row("first run here", first, (0.90, 0.06), None),
        _row("with history", known, (0.95, 0.04), (0.99, 0.08)),
    ]
    for label, errors in peers:
        within = [
            percent(sum(abs(e) <= x for e in errors) / len(errors)) for x in (0.04, 0.06, 0.08)
        ]
        rows.append((label, str(len(errors)), *within, "", "", "", "", "", ""))
    return Table(
        title=title,
        columns=(
            "method",
            "costs",
            "within 4 %",
            "6 %",
            "8 %",
            "right step",
            "covered",
            "±",
            "exit 3",
            "seconds",
            "verdict",
        ),
        rows=rows,
    )


def _row(
    label: str,
    runs: Sequence[dict[str, Answer]],
    limit: tuple[float, float],
    further: tuple[float, float] | None,
) -> tuple[str, ...]:
    found = [(name, each) for one in runs for name, each in one.items()]
    errors = [each.error for name, each in found if name not in STEP_HASHERS]
    steps = [each.error == 0 for name, each in found if name in STEP_HASHERS]

    def within(most: float) -> float:
        return sum(abs(error) <= most for error in errors) / len(errors)

    codes = [next(iter(one.values())).code for one in runs]
    covered = statistics.fmean(each.covered for _, each in found)
    met = within(limit[1]) >= limit[0]
    if further is not None:
        met = met and within(further[1]) >= further[0] and covered >= 0.93
    return (
        label,
        str(len(found)),
        percent(within(0.04)),
        percent(within(0.06)),
        percent(within(0.08)),
        percent(statistics.fmean(steps)),
        percent(covered),
        percent(statistics.median(each.half_width for _, each in found)),
        percent(statistics.fmean(code == 3 for code in codes)),
        f"{statistics.median(next(iter(one.values())).seconds for one in runs):.2f}",
        verdict(met=met),
    )
