"""The corpus of applications' configurations, and how an answer of the check compares with it."""

import contextlib
import enum
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hashcost.apps.registry import load_tunable
from hashcost.apps.schemes import Scheme
from hashcost.checks.app_costs import ForeignFileError, costs_in
from hashcost.checks.app_files import app_costs
from hashcost.checks.app_releases import AppRelease
from hashcost.checks.applying import Target, hasher_of
from hashcost.checks.judgement import Configured, CostOrVerdict, Judgement, Outcome
from hashcost.core.algorithms import COST_NAMES
from hashcost.core.cost_expressions import Place
from hashcost.core.errors import HashcostError
from hashcost.core.measurement import Params
from hashcost.storage.gate import Gate

CORPUS: Final = Path(__file__).parent / "corpus"

Cost = tuple[str, tuple[tuple[str, int], ...]]
"""A hasher and its params in the order of their names."""


class Fare(enum.Enum):
    """How an answer compares with the truth."""

    RIGHT = "right"
    UNKNOWN = "unknown"
    WRONG = "wrong"
    FALSE_FINE = "false fine"
    """Nothing in the answer is as weak as what passwords really get."""


@dataclass(frozen=True)
class Configuration:
    """Files of an application, and what new passwords really get."""

    app: str
    name: str
    files: dict[str, str]
    check: tuple[str, ...]
    version: str | None
    truth: str
    costs: frozenset[Cost]
    expected: Fare
    """How the answer compares, by ``undetermined`` and ``alarm``, which say why."""

    def __str__(self) -> str:
        return f"{self.app}: {self.name}"


def configurations(folder: Path = CORPUS / "configurations") -> Iterator[Configuration]:
    """Every configuration in a folder of the corpus."""
    for path in sorted(folder.glob("*.toml")):
        for table in tomllib.loads(path.read_text("utf-8"))["configuration"]:
            yield Configuration(
                app=path.stem,
                name=table["name"],
                files=table["files"],
                check=tuple(table["check"]),
                version=table.get("version"),
                truth=table["is"],
                costs=frozenset(
                    _cost(cost["hasher"], cost.get("params", {})) for cost in table.get("cost", ())
                ),
                expected=Fare.UNKNOWN
                if "undetermined" in table
                else Fare.WRONG
                if "alarm" in table
                else Fare.RIGHT,
            )


def answer(configuration: Configuration) -> Sequence[CostOrVerdict] | HashcostError:
    """What ``check --app APP FILE...`` finds, or why it reads nothing."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for name, text in configuration.files.items():
            path = Path(folder, name.lstrip("/"))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        named = [Path(path.lstrip("/")) for path in configuration.check]
        try:
            app = load_tunable(configuration.app)
            rows, _ = app_costs(app, named, configuration.version, Gate())
            return rows
        except HashcostError as error:
            return error


def fare(configuration: Configuration, answer: Sequence[CostOrVerdict] | HashcostError) -> Fare:
    """How an answer compares with the truth.

    Where it is not told, or by an algorithm that no hasher here is, unknown is right.
    """
    if isinstance(answer, ForeignFileError):
        answer = (Judgement.without_cost(Outcome.UNKNOWN, "", Place(path=""), "", ""),)
    if isinstance(answer, HashcostError):
        return Fare.WRONG
    outcomes = {cost.outcome for cost in answer if isinstance(cost, Judgement)}
    costs = {_cost(cost.hasher, cost.params) for cost in answer if isinstance(cost, Configured)}
    if Outcome.UNSUITABLE in outcomes:
        return Fare.RIGHT if configuration.truth == "unsuitable" else Fare.WRONG
    if Outcome.UNKNOWN in outcomes:
        strange = any(hasher not in COST_NAMES for hasher, _ in configuration.costs)
        return Fare.RIGHT if strange or configuration.truth == "undetermined" else Fare.UNKNOWN
    if costs == configuration.costs:
        return Fare.RIGHT
    missed = configuration.costs - costs
    if not configuration.costs or not all(_is_as_weak(costs, cost) for cost in missed):
        return Fare.FALSE_FINE
    return Fare.WRONG


def _is_as_weak(costs: set[Cost], truth: Cost) -> bool:
    """Whether any of the costs has the hasher of another, and no param above its."""
    name, params = truth
    limits = dict(params)
    return any(
        hasher == name and all(value <= limits.get(param, 0) for param, value in given)
        for hasher, given in costs
    )


def _cost(hasher: str, params: dict[str, int] | Any) -> Cost:
    return hasher, tuple(sorted(dict(params).items()))


def higher(scheme: Scheme, params: Params) -> Params:
    """A higher cost that the application takes."""
    raised = {
        param: limits.nearest(params[param] + 1 if param == "cost" else 2 * params[param])
        for param, limits in scheme.limits.items()
        if param not in {"r", "p", "parallelism"}
    }
    return {**params, **raised}


def raised(configuration: Configuration, path: str) -> tuple[Target, int] | None:
    """A higher cost for a file of the corpus, with how many it has, if these are told."""
    app = load_tunable(configuration.app)
    files = {name.lstrip("/"): text for name, text in configuration.files.items()}
    text = files[path]
    release = None if configuration.version is None else AppRelease(configuration.version)
    try:
        costs_held = costs_in(app, text, path, release)
    except HashcostError:
        return None
    costs = [
        cost for cost in costs_held if isinstance(cost, Configured) and cost.scheme is not None
    ]
    if not costs or any(isinstance(cost, Judgement) for cost in costs_held):
        return None
    scheme = app.scheme(hasher_of(app, [(path, text)], release) or costs[0].hasher)
    assert scheme is not None
    own = [cost.params for cost in costs if cost.hasher == scheme.hasher]
    highest = {param: max(cost[param] for cost in own) for param in scheme.limits}
    target = Target(
        app=app,
        scheme=scheme,
        params=higher(scheme, highest),
        path=path,
        text=text,
        release=release,
    )
    return target, len(own)


FILES: Final = tuple(
    (configuration, path.lstrip("/"))
    for configuration in configurations()
    for path in configuration.check
)
"""The files of the corpus, each with its configuration."""
