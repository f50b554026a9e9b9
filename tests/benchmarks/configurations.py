"""How many configurations of applications a check reads right, of those written by others."""

from __future__ import annotations

from collections import Counter
from typing import Final

from configurations import CORPUS, Configuration, Fare, answer, configurations, fare

from .report import Report, Table, percent, verdict
from .settings import Settings, counter

_FOLDERS: Final = ("configurations", "kept_aside/configurations")
_MOST_UNKNOWN: Final = 0.2


def run(settings: Settings) -> Report:
    """Ask what each configuration sets, and count how the answers compare with the truth."""
    known = {name: tuple(configurations(CORPUS / name)) for name in _FOLDERS}
    show = counter("configurations", sum(map(len, known.values())))
    rows, runs = [], []
    done = 0
    for folder, corpus in known.items():
        counts: Counter[Fare] = Counter()
        for each in corpus:
            found = fare(each, answer(each))
            counts[found] += 1
            if found is not Fare.RIGHT:
                runs.append(_run(folder, each, found))
            show(done)
            done += 1
        if corpus:
            rows.append(_row(folder, counts))
    notes = [f"{each['fare']}: {each['configuration']}" for each in runs if each["shown"]]
    columns = ("what", *(each.value for each in Fare), "unknown of all", "limit", "verdict")
    return Report(
        tables=[Table("Configurations of applications", columns, rows, notes)], runs=runs
    )


def _row(folder: str, counts: Counter[Fare]) -> list[str]:
    share = counts[Fare.UNKNOWN] / counts.total()
    met = share <= _MOST_UNKNOWN and not counts[Fare.FALSE_FINE]
    return [
        folder,
        *(str(counts[each]) for each in Fare),
        percent(share),
        f"{percent(_MOST_UNKNOWN)}, no false fine",
        verdict(met=met),
    ]


def _run(folder: str, configuration: Configuration, found: Fare) -> dict[str, object]:
    """What went wrong; the names of those kept aside are not shown, so that they stay unseen."""
    return {
        "folder": folder,
        "configuration": str(configuration),
        "fare": found.value,
        "shown": folder == _FOLDERS[0],
    }
