"""PHP: WordPress's filters, and Symfony's hashers."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from hashcost.apps.formats.settings import cost_of
from hashcost.apps.interface import App, Costs, Found
from hashcost.apps.signs import without_comments
from hashcost.apps.text import costs_apart, line_at, only_verified
from hashcost.apps.yaml_values import Path, Scalar, Scalars, values
from hashcost.core.algorithms import COST_NAMES
from hashcost.core.errors import UndeterminedError
from hashcost.core.measurement import Params
from hashcost.core.text import joined, printable
from hashcost.source_code.symfony import ALGORITHMS, PARAMS

_ARGON2: Final[Params] = {"memory_kib": 65536, "time_cost": 4, "parallelism": 1}
"""PHP's own, where the options leave one out."""


_FILTER: Final = re.compile(
    r"\badd_filter\(\s*['\"]wp_hash_password_(?P<which>options|algorithm)['\"]\s*,\s*"
)
_NAMED: Final = re.compile(
    r"\s*(?:['\"](?:[\w\\]+::)?(?P<function>\w+)['\"]"
    r"|(?:array\(|\[)\s*(?:\$this|[\w\\]+::class|__CLASS__|['\"][\w\\]+['\"]|\$\w+)\s*,\s*"
    r"['\"](?P<method>\w+)['\"]\s*(?:\)|\])"
    r"|(?:\$this->|self::|static::|\w+::)?(?P<first>\w+)\(\.\.\.\))"
)
_SETS: Final = re.compile(
    r"['\"](?P<key>cost|memory_cost|time_cost|threads)['\"]\s*(?:\]\s*=(?!=)|=>)\s*"
    r"(?P<value>[^,;)\]\n]*)"
)
_NAME: Final = re.compile(r"(?:self::|static::|\w+::)?(?P<name>[A-Za-z_]\w*)")
_CONSTANT: Final = re.compile(
    r"\b(?:const\s+(?:int\s+)?(?P<name>\w+)\s*=|define\(\s*['\"](?P<defined>\w+)['\"]\s*,)"
    r"\s*(?P<value>[0-9]{1,12})\s*[;)]"
)
_FUNCTION: Final = re.compile(r"\bfunction\s+&?(?P<name>\w+)\s*\(")
_BRACKET: Final = re.compile(r"[({\[]|[)}\]]")
_ALGORITHM: Final = re.compile(r"PASSWORD_(?:ARGON2ID?|BCRYPT|DEFAULT)|['\"](?:2y|argon2id?)['\"]")
_OPTIONS: Final = {
    "cost": "cost",
    "memory_cost": "memory_kib",
    "time_cost": "time_cost",
    "threads": "parallelism",
}


def wordpress(app: App, text: str) -> Costs:
    """The cost that all filters of the file make together; the last value of each counts."""
    # A filter in a comment is none, and its numbers may be examples.
    code = without_comments(text, app.comment)
    filters = list(_FILTER.finditer(code))
    if not filters:
        return
    functions = _Functions(code)
    constants = _constants(code)
    hasher = "bcrypt"
    options = {}
    places = {}
    bodies = {}
    has_options = False
    for match in filters:
        line = line_at(code, match.start())
        start, end = functions.body(match.end(), line)
        if match["which"] == "algorithm":
            hasher = _algorithm_in(code[start:end], line)
            continue
        has_options = True
        if start not in bodies:  # Many filters may name one function.
            bodies[start] = dict[str, tuple[int, int]]()
            for option in _SETS.finditer(code, start, end):
                number = _number(option["value"].strip(), constants, line)
                bodies[start][_OPTIONS[option["key"]]] = number, line_at(code, option.start())
        for param, (number, place) in bodies[start].items():
            options[param] = number
            places[param] = place
    first_line = line_at(code, filters[0].start())
    if hasher == "argon2i":
        why = "hashcost does not know the cost of argon2i"
        yield Found.undetermined(first_line, why, hasher)
        return
    params = {}
    # PHP passes over the options of the other algorithm.
    if hasher == "argon2id":
        params = {**_ARGON2, **options}
        params.pop("cost", None)
    elif "cost" in options:
        params = {"cost": options["cost"]}
    if has_options and not params:
        last_line = line_at(code, filters[-1].start())
        raise UndeterminedError(last_line, "what the filter makes of the options is not read here")
    yield Found(hasher=hasher, params=params, line=first_line, lines=places, why="by a filter")


def _constants(code: str) -> dict[str, set[int]]:
    """The numbers that each constant of the file is defined as, which may be several."""
    numbers: dict[str, set[int]] = {}
    for constant in _CONSTANT.finditer(code):
        name = constant["name"] or constant["defined"]
        numbers.setdefault(name, set()).add(int(constant["value"]))
    return numbers


def _algorithm_in(body: str, line: int) -> str:
    """The only algorithm that the body of a filter names."""
    written = {word.strip("'\"").removeprefix("PASSWORD_") for word in _ALGORITHM.findall(body)}
    if len(written) != 1:
        raise UndeterminedError(line, "which algorithm the filter chooses is unknown")
    name: str = written.pop().lower()
    if name in {"2y", "default"}:
        return "bcrypt"
    return name


class _Functions:
    """The functions of a file; where each bracket closes is found once for all of them."""

    def __init__(self, code: str) -> None:
        self._code = code
        self._declared: dict[str, int] = {}
        for function in _FUNCTION.finditer(code):
            self._declared.setdefault(function["name"], function.end())
        # Strings are not looked into: a bracket in one counts.
        self._closings: dict[int, int] = {}
        opened = []
        for bracket in _BRACKET.finditer(code):
            if bracket[0] in "({[":
                opened.append(bracket.start())
            elif opened:
                self._closings[opened.pop()] = bracket.start()

    def body(self, start: int, line: int) -> tuple[int, int]:
        """Where the function begins and ends that a filter names, or has in its place.

        ``start`` is behind the comma of the call that adds the filter, on ``line``.

        Raises:
            UndeterminedError: it is not in the file, or does not end.
        """
        named = _NAMED.match(self._code, start)
        if named is None:  # The function ends before the bracket of the call.
            return start, self._closing(self._code.rfind("(", 0, start), line)
        name = next(filter(None, named.groups()))
        declared = self._declared.get(name, len(self._code))
        opening = self._code.find("{", declared)
        if opening < 0:
            raise UndeterminedError(line, f"the filter {printable(name)[:60]} is not in the file")
        return opening, self._closing(opening, line)

    def _closing(self, opening: int, line: int) -> int:
        if opening not in self._closings:
            raise UndeterminedError(line, "where the filter ends is unknown")
        return self._closings[opening]


def _number(written: str, constants: Mapping[str, set[int]], line: int) -> int:
    if re.fullmatch(r"[0-9]{1,12}", written):
        return int(written)
    constant = _NAME.fullmatch(written)
    if constant is not None:
        numbers = constants.get(constant["name"], set())
        # One that is defined twice, under a condition, is unknown.
        if len(numbers) == 1:
            return next(iter(numbers))
    raise UndeterminedError(line, f"the filter sets {printable(written)[:60]}, which is unknown")


_ROOTS: Final = ("password_hashers", "password-hashers", "encoders")
"""The last is that of releases before 5.3; dashes are as good as underscores."""
_MIGRATES: Final = "migrate_from"
_RESERVED: Final = "%@`"
"""Symfony takes them at the beginning of a value: its own YAML refuses ``%`` since 4.0 and the
others since 3.0 (symfony/symfony, Component/Yaml/Inline.php)."""


def symfony(app: App, text: str) -> Costs:
    """The cost of each class of users; ``when@prod`` wins over the rest."""
    written = values(text, also_plain=_RESERVED)
    scalars = [value for value in written if not value.is_null]
    usual = _by_class(scalars, ("security",))
    production = _by_class(scalars, ("when@prod", "security"))
    # A class that another migrates from only checks older hashes.
    older = {value.text for value in scalars if _MIGRATES in value.path[-2:]}
    for classes, others in ((usual, {*older, *production}), (production, older)):
        for name, settings in classes.items():
            wins = name not in others
            why = only_verified(value.text for value in settings if _MIGRATES in value.path)
            for cost in costs_apart(lambda one: _of_class(app, one), [settings]):
                yield replace(cost, wins=wins, why=joined(cost.why, why))


def _by_class(scalars: Scalars, above: Path) -> dict[str, list[Scalar]]:
    """The settings of each class of users below some keys, whose paths are cut off."""
    classes: dict[str, list[Scalar]] = {}
    depth = len(above)
    for value in scalars:
        below = value.path[depth:]
        if value.path[:depth] != above or len(below) < 2:
            continue
        root, name, *rest = below
        if root in _ROOTS:
            cut = replace(value, path=tuple(rest))
            classes.setdefault(str(name), []).append(cut)
    return classes


def _of_class(app: App, given: Scalars) -> Costs:
    """The cost that the settings of one class of users make; ``auto`` is bcrypt."""
    settings = _used_settings(given)
    if not settings:
        return
    name = "auto"
    line = min(value.line for value in settings.values())
    algorithm = settings.get("algorithm")
    if algorithm is not None:
        name = algorithm.text.strip().lower()
        line = algorithm.line
    if "id" in settings:
        yield Found.undetermined(settings["id"].line, "a service of its own computes the hashes")
    elif name in ALGORITHMS:
        yield _of_algorithm(app, name, settings, line)
    elif name == "plaintext":
        yield Found.unfit("plain text", line, "plaintext stores the password itself")
    elif "%" in name or "$" in name:
        yield Found.undetermined(line, f"only Symfony knows what {printable(name)[:40]} is")
    else:
        shown = printable(name)[:40]
        why = f"{shown} is a message digest, repeated, and no password hash"
        yield Found.unfit(shown, line, why)


def _used_settings(given: Scalars) -> dict[str, Scalar]:
    """The settings of one class of users, by their keys."""
    settings = {}
    for value in given:
        if value.wins and not value.path:
            # ``App\Entity\User: bcrypt`` is short for a mapping with an algorithm.
            settings["algorithm"] = value
        elif value.wins and len(value.path) == 1:
            settings[value.name] = value
    return settings


def _of_algorithm(app: App, name: str, given: Mapping[str, Scalar], line: int) -> Found:
    """Read the cost of one of Symfony's algorithms, with defaults for what is left out."""
    hasher, default = ALGORITHMS[name]
    digest = given.get("hash_algorithm")
    if name == "pbkdf2" and digest is not None:
        kind = digest.text.strip().lower()
        hasher = f"pbkdf2-{kind}"
        if hasher not in COST_NAMES:
            why = f"PBKDF2 with {printable(kind)[:20]} is unknown to hashcost"
            return Found.undetermined(line, why)
    values = {
        param: given[key] for key, param in PARAMS.items() if param in default and key in given
    }
    cost = cost_of(hasher, values, {})
    # Of its schemes the application says itself since when the default holds.
    if app.scheme(hasher) is not None:
        default = {}
    return replace(cost, params={**default, **cost.params}, line=cost.line or line)
