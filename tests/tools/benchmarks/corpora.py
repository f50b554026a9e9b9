"""Costs that a scan finds in realistic code, and configurations that a check reads right."""

from collections import Counter, defaultdict
from pathlib import Path
from typing import Final

from configurations import CORPUS, Fare, answer, configurations, fare
from corpus.recall import KEPT_ASIDE, OPEN, Score, score, snippets

from .report import Report, Table, percent, verdict
from .settings import Settings

_RECALL, _PRECISION, _MOST_UNKNOWN = 0.92, 0.98, 0.06
_FOLDERS: Final = ("configurations", "kept_aside/configurations")


def run(settings: Settings) -> Report:
    """Score both corpora, those that are kept aside without the names of what went wrong."""
    scans = [_scanned(name, folder) for name, folder in (("open", OPEN), ("aside", KEPT_ASIDE))]
    rows, notes = [], []
    for name in _FOLDERS:
        fares = [
            (configuration, fare(configuration, answer(configuration)))
            for configuration in configurations(CORPUS / name)
        ]
        if not fares:
            continue
        counts = Counter(kind for _, kind in fares)
        met = counts[Fare.UNKNOWN] <= _MOST_UNKNOWN * len(fares) and not counts[Fare.FALSE_FINE]
        rows.append([name, *(str(counts[kind]) for kind in Fare), verdict(met=met)])
        if name == _FOLDERS[0]:
            notes += [
                f"{kind.value}: {configuration}"
                for configuration, kind in fares
                if kind is not Fare.RIGHT
            ]
    columns = ("what", *(kind.value for kind in Fare), "verdict")
    return Report([*scans, Table("Configurations of applications", columns, rows, notes)])


def _scanned(name: str, folder: Path) -> Table:
    languages: dict[str, list[Score]] = defaultdict(list)
    for snippet in snippets(folder):
        scored = score(snippet)
        languages[snippet.language].append(scored)
        languages["all"].append(scored)
    columns = ("what", "snippets", "costs", "recall", "wrong", "precision", "verdict")
    rows = [_row(language, scores) for language, scores in languages.items()]
    return Table(f"Scan of snippets, {name}", columns, rows)


def _row(language: str, scores: list[Score]) -> list[str]:
    right = sum(len(score.found) for score in scores)
    costs = right + sum(len(score.missed) for score in scores)
    wrong = sum(len(score.besides) for score in scores)
    recall = right / costs if costs else 1.0
    precision = right / (right + wrong) if right + wrong else 1.0
    met = recall >= _RECALL and precision >= _PRECISION
    figures = (str(costs), percent(recall), str(wrong), percent(precision))
    return [language, str(len(scores)), *figures, verdict(met=met)]
