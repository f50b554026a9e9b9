"""One cost for a fleet against its size: 200 fleets of recorded machines, of 1 to 200 hosts.

Each host is a first run at a random moment of a recording, so all of a fleet are as quick as
each other. What is right does not depend on how many there are, and neither may the cost.
"""

from __future__ import annotations

import math
import random
import statistics
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Final

import msgspec

from hashcost.compare.comparison import compare
from hashcost.compare.deciding import Step, decided, decision_of
from hashcost.compare.machines import MeasuredMachine, machine_of
from hashcost.core.decision import Decision
from hashcost.core.machine import HostIdentity
from hashcost.core.measurement import Params
from hashcost.core.profile import Recommendation, Rounding
from hashcost.recommend.calibration import calibrate
from hashcost.recommend.recommendation import answer_again

from .recording import DATE, FOLDER, NAMES, Memory, Recording, Replay
from .report import Report, Table, cpu_count, percent, verdict
from .settings import FIVE, STEP_HASHERS, TARGET_SECONDS, Settings

_SIZES: Final = (1, 2, 5, 10, 20, 50, 100, 200)
_LONGEST: Final = 8.0
_AGAIN: Final = 5
_AGAIN_SIZES: Final = (2, 5, 20)
_MOST_OFF: Final = 0.03
"""What the middle fleet of each size may be off the truth."""


def run(settings: Settings) -> Report:
    """On each recording, as many fleets as were asked for, the sizes in equal parts."""
    fleets = math.ceil(settings.size(200, 32) / len(NAMES) / len(_SIZES))
    with ProcessPoolExecutor(cpu_count()) as pool:
        parts = list(pool.map(partial(_simulated, fleets=fleets), NAMES))
    return Report(tables=[table for part in parts for table in part])


def hosts(recording: Recording, count: int) -> list[MeasuredMachine]:
    """So many hosts, each by its first run."""
    chance = random.Random(f"hosts {recording.name}")
    return [_host(recording, chance, index) for index in range(count)]


def _host(recording: Recording, chance: random.Random, index: int) -> MeasuredMachine:
    start = chance.uniform(0.0, recording.seconds - _LONGEST)
    replay = Replay(recording, start, Memory())
    profile = calibrate(
        TARGET_SECONDS, FIVE, host=replay.host, start=replay.start, probe=replay.probe
    )
    bare = [msgspec.structs.replace(each, samples=()) for each in profile.measurements]
    named = msgspec.structs.replace(
        profile, measurements=tuple(bare), host=HostIdentity(name=f"host{index}")
    )
    return machine_of(named, name=f"host{index}", source=f"host{index}.json")


def cost_for_all(machines: Sequence[MeasuredMachine]) -> dict[str, Params]:
    """The cost for all of each hasher; of one machine, its own."""
    if len(machines) == 1:
        rows = [
            answer_again(each, TARGET_SECONDS, Rounding.DOWN) for each in machines[0].measurements
        ]
        return {row.hasher: row.params for row in rows if isinstance(row, Recommendation)}
    found = compare([*machines], baseline=machines[0], target_seconds=TARGET_SECONDS)
    return {each.hasher: each.common.params for each in found.hashers if each.common is not None}


def _simulated(name: str, *, fleets: int) -> list[Table]:
    recording = Recording(FOLDER / f"{name}.csv.gz")
    known = hosts(recording, max(_SIZES) + 50)
    return [_costs(recording, known, fleets), _decisions(recording, known, fleets)]


def _decisions(recording: Recording, known: Sequence[MeasuredMachine], fleets: int) -> Table:
    """A fleet is decided on, and measured again five times: each time, other runs of its hosts."""
    chance, rows = random.Random(f"decisions {recording.name}"), []
    for size in _AGAIN_SIZES:
        found = Counter[Step]()
        changed = 0
        for _ in range(fleets):
            decision: Decision | None = None
            before = 0
            for again in range(_AGAIN + 1):
                machines = chance.sample(known, size)
                outcomes = decided(
                    compare(
                        machines,
                        baseline=machines[0],
                        target_seconds=TARGET_SECONDS,
                        committed=decision,
                    ),
                    decision,
                    now=DATE,
                )
                decision = decision_of(outcomes)
                if again:
                    found.update(each.step for each in outcomes)
                    before += sum(each.before is not None for each in outcomes)
            changed = max(changed, before)
        rows.append(
            (
                str(size),
                str(found.total()),
                percent(found[Step.KEPT] / found.total()),
                str(found[Step.RAISED]),
                str(found[Step.TOO_HIGH]),
                str(changed),
                verdict(met=changed <= 1 and not found[Step.LOWERED]),
            )
        )
    return Table(
        title=f"{recording.name}: {fleets} decisions, each measured again {_AGAIN} times",
        columns=("hosts", "costs", "kept", "raised", "too high", "most changes", "verdict"),
        rows=rows,
    )


def _costs(recording: Recording, known: Sequence[MeasuredMachine], fleets: int) -> Table:
    truth = {hasher: recording.quiet_rate(hasher) for hasher in FIVE}
    chance = random.Random(f"fleets {recording.name}")
    rows = []
    for size in _SIZES:
        errors: list[float] = []
        steps: list[bool] = []
        for _ in range(fleets):
            for hasher, params in cost_for_all(chance.sample(known, size)).items():
                (value,) = params.values()
                if hasher in STEP_HASHERS:
                    right = max(
                        v for v in range(4, 32) if 2.0**v * truth[hasher] <= TARGET_SECONDS
                    )
                    steps.append(value == right)
                else:
                    errors.append(value * truth[hasher] / TARGET_SECONDS - 1)
        middle = statistics.median(errors)
        met = abs(middle) <= _MOST_OFF and statistics.fmean(steps) >= 0.9
        rows.append(
            (
                str(size),
                percent(middle),
                f"{percent(min(errors))} … {percent(max(errors))}",
                percent(statistics.fmean(abs(each) <= 0.1 for each in errors)),
                percent(statistics.fmean(steps)),
                verdict(met=met),
            )
        )
    return Table(
        title=f"{recording.name}: one cost for all, {fleets} fleets of each size",
        columns=("hosts", "middle", "lowest … highest", "within 10 %", "right step", "verdict"),
        rows=rows,
    )
