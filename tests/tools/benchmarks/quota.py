"""What a login really waits in a control group with a CPU quota, at the answer for 100 ms.

It makes control groups, so it needs root. Hashes begin at random in a period, in a group that
is otherwise idle and goes before other groups. Strangers on the same core still make a hash take
more CPU time than on a quiet one: the wait that the model gives for the median CPU time stands
beside the measured one.
"""

import json
import os
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from end_to_end.real_programs import AbsentError
from end_to_end.runtimes.elsewhere import under_quota
from fakes import limited_to

from .fresh import CommandError, command, succeed
from .plain import prepare
from .report import Report, Table, verdict
from .settings import Settings

_LEAST, _MOST = 0.085, 0.105
_HASHER: Final = "pbkdf2-sha256"
_CPUS: Final = (0.5, 0.25)
_PERIOD: Final = 0.1


def run(settings: Settings) -> Report:
    """Ask for the answer in each group, and time hashes there with the library alone."""
    size = settings.size(300, 48)
    rows = []
    with command() as calibrate, tempfile.TemporaryDirectory() as folder:
        for cpus in _CPUS:
            try:
                with under_quota(cpus, Path(folder)) as prefix:
                    options = ("--target", "100ms", "--format", "json", "--policy", "none")
                    asked = [prefix, calibrate.path, _HASHER, "--quiet", *options]
                    answered = succeed(asked, calibrate.environment)
                    (row,) = json.loads(answered.output)["results"]
                    params = json.dumps(row["params"])
                    hashes = [prefix, sys.executable, "-m", __name__, params, str(size)]
                    walls, cpu = json.loads(succeed(hashes).output)
            except AbsentError as error:
                raise CommandError(str(error)) from error
            median = statistics.median(walls)
            modelled = limited_to(cpus).waits(cpu)
            times = (row["time_seconds"], cpu, row["wait_seconds"], modelled, median, max(walls))
            met = _LEAST <= median <= _MOST
            milliseconds = (f"{seconds * 1e3:.0f} ms" for seconds in times)
            rows.append((f"{cpus:g}", *milliseconds, verdict(met=met)))
    said = ("CPU, said", "CPU, median", "wait, said", "wait of that CPU time")
    columns = ("CPUs", *said, "wait, median", "longest", "verdict")
    load = "load average of 1, 5 and 15 minutes at the end: {:.1f}, {:.1f}, {:.1f}"
    notes = (load.format(*os.getloadavg()),)
    return Report([Table(f"quota, hashes each: {size}, target 100 ms", columns, rows, notes)])


def main() -> None:
    """Time hashes that begin at random; print their wall times, and their median CPU time."""
    call, times = prepare(_HASHER, json.loads(sys.argv[1])), int(sys.argv[2])
    walls, cpus = [], []
    for _ in range(times):
        time.sleep(4 * _PERIOD + random.uniform(0, _PERIOD))
        wall, cpu = time.monotonic(), time.thread_time()
        call()
        walls.append(time.monotonic() - wall)
        cpus.append(time.thread_time() - cpu)
    json.dump((walls, statistics.median(cpus)), sys.stdout)


if __name__ == "__main__":
    main()
