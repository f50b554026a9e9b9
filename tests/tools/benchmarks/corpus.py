"""Corpus: how many costs in realistic code a scan finds, and how much it says that is wrong."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Final

from corpus.recall import KEPT_ASIDE, OPEN, Score, score, snippets

from .report import Report, Table, verdict
from .settings import Settings, counter

_RECALL: Final = 0.9
_PRECISION: Final = 0.99


def run(settings: Settings) -> Report:
    """Scan the snippets that are open to all, and those that are kept aside, if they are here."""
    folders = {"open": OPEN, "kept aside": KEPT_ASIDE}
    tables = [_table(f"Scan of snippets, {name}", each) for name, each in folders.items()]
    return Report(tables=tables)


def _table(title: str, folder: Path) -> Table:
    known = list(snippets(folder))
    show = counter("corpus", len(known))
    by_language: dict[str, list[Score]] = defaultdict(list)
    for number, each in enumerate(known, 1):
        by_language[each.language].append(score(each))
        show(number)
    rows = [_row(name, scores) for name, scores in by_language.items()]
    if known:
        rows.append(_row("all", [each for scores in by_language.values() for each in scores]))
    columns = (
        *("what", "snippets", "costs", "found", "recall"),
        *("listed", "wrong", "precision", "verdict"),
    )
    return Table(title, columns, rows, () if known else (f"{folder.name}: nothing is there",))


def _row(name: str, scores: list[Score]) -> list[str]:
    found = sum(len(each.found) for each in scores)
    costs = found + sum(len(each.missed) for each in scores)
    listed = sum(len(each.listed) for each in scores)
    wrong = sum(len(each.besides) for each in scores)
    recall = found / costs if costs else 1.0
    precision = found / (found + wrong) if found + wrong else 1.0
    met = recall >= _RECALL and precision >= _PRECISION
    return [
        name,
        str(len(scores)),
        str(costs),
        str(found),
        f"{recall:.1%}",
        str(listed),
        str(wrong),
        f"{precision:.1%}",
        verdict(met=met),
    ]
