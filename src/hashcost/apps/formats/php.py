"""PHP: WordPress's filters, and Symfony's hashers."""

import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Final, NamedTuple

from hashcost.apps.formats.settings import cost_of
from hashcost.apps.found import Costs, Found
from hashcost.apps.interface import App
from hashcost.apps.php_values import arithmetic, php_values, unopened
from hashcost.apps.signs import without_comments
from hashcost.apps.text import costs_apart, line_at, only_verified
from hashcost.apps.yaml_values import Path, Scalar, Scalars, values
from hashcost.core.algorithms import COST_NAMES
from hashcost.core.errors import UndeterminedError
from hashcost.core.measurement import Params
from hashcost.core.text import joined, printable
from hashcost.source_code.symfony import ALGORITHMS, AUTO_OF_ENCODERS, ENCODERS, PARAMS

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
    r"(?P<value>(?:\([^()\n]*+\)|[^,;()\]\n])*+)"
)
_CONSTANT: Final = re.compile(
    r"\b(?:const\s+(?:int\s+)?(?P<name>\w+)\s*=|define\(\s*['\"](?P<defined>\w+)['\"]\s*,)"
    r"\s*(?P<value>[^;\n]{1,60}+)"
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
    nothing_runs = unopened(text)
    if nothing_runs is not None:
        yield nothing_runs
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
    params = {}
    # PHP passes over the options of the other algorithm.
    if hasher in {"argon2id", "argon2i"}:
        params = {**_ARGON2, **options}
        params.pop("cost", None)
    elif "cost" in options:
        params = {"cost": options["cost"]}
    if has_options and not params:
        last_line = line_at(code, filters[-1].start())
        raise UndeterminedError(last_line, "what the filter makes of the options is not read here")
    yield Found(hasher=hasher, params=params, line=first_line, lines=places, why="by a filter")


def _constants(code: str) -> dict[str, int | None]:
    """The number that each constant of the file is defined as, if that is certain."""
    numbers: dict[str, int | None] = {}
    for constant in _CONSTANT.finditer(code):
        name = constant["name"]
        written = constant["value"]
        if name is None:
            name = constant["defined"]
            written = written.rstrip().removesuffix(")")
        number = arithmetic(written, numbers)
        # One that is defined twice, under a condition, is unknown.
        if numbers.setdefault(name, number) != number:
            numbers[name] = None
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


def _number(written: str, constants: Mapping[str, int | None], line: int) -> int:
    number = arithmetic(written, constants)
    if number is None:
        what = f"the filter sets {printable(written)[:60]}, which is unknown"
        raise UndeterminedError(line, what)
    return number


_ROOTS: Final = ("password_hashers", "password-hashers", ENCODERS)
"""Dashes are as good as underscores."""
_MIGRATES: Final = "migrate_from"
_RESERVED: Final = "%@`"
"""Symfony takes them at the beginning of a value: its own YAML refuses ``%`` since 4.0 and the
others since 3.0 (symfony/symfony, Component/Yaml/Inline.php)."""


def symfony(app: App, text: str) -> Costs:
    """The cost of each class of users; ``when@prod`` wins over the rest."""
    written = values(text, also_plain=_RESERVED)
    scalars = [value for value in written if not value.is_null]
    older = {value.text for value in scalars if _MIGRATES in value.path[-2:]}
    yield from _of_classes(app, scalars, older)


_IN_PHP: Final = re.compile(r"\b(?:password_hashers|encoders)\b|->passwordHasher\(")
_LISTED: Final = re.compile(r"['\"]migrate_from['\"]\s*+=>\s*+\[(?P<names>[^\[\]]*+)\]")
_QUOTED: Final = re.compile(r"['\"](?P<name>[^'\"]++)['\"]")
_FLUENT: Final = re.compile(
    r"->passwordHasher\((?P<users>[^()]*+)\)(?P<calls>(?:\s*+->\s*+\w++\([^()]*+\))*+)"
)
_CALL: Final = re.compile(r"->\s*+(?P<name>\w++)\((?P<value>[^()]*+)\)")
_CAPITAL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")


def symfony_in_php(app: App, text: str) -> Costs:
    """The cost of each class of users in a configuration that PHP returns, or builds by calls."""
    code = without_comments(text, app.comment)
    if _IN_PHP.search(code) is None:
        return
    scalars = []
    for entry in php_values(text):
        path = tuple(entry.name.split("."))
        # ``extension('security', …)`` names the first key before the array.
        if path[0] in _ROOTS:
            path = ("security", *path)
        scalars.append(Scalar(path=path, text=entry.value, line=entry.line))
    older = {name for names in _LISTED.findall(code) for name in _QUOTED.findall(names)}
    times_built = Counter[str]()
    for built in _FLUENT.finditer(code):
        name = built["users"].strip().strip("'\"").removesuffix("::class")
        times_built[name] += 1
        # The same class may be built again under a condition.
        if times_built[name] > 1:
            name = f"{name} {times_built[name]}"
        above = ("security", "password_hashers", name)
        for call in _CALL.finditer(built["calls"]):
            key = _CAPITAL.sub("_", call["name"]).lower()
            line = line_at(code, built.start("calls") + call.start())
            if key == _MIGRATES:
                older.update(_QUOTED.findall(call["value"]))
            else:
                value = call["value"].strip().strip("'\"")
                scalars.append(Scalar(path=(*above, key), text=value, line=line))
    yield from _of_classes(app, scalars, older)


def _of_classes(app: App, scalars: Scalars, older: Collection[str]) -> Costs:
    """The cost of each class of users; one of the ``older`` only checks the hashes that it has."""
    usual = _by_class(scalars, ("security",))
    production = _by_class(scalars, ("when@prod", "security"))
    for classes, others in ((usual, {*older, *production}), (production, older)):
        for name, users in classes.items():
            wins = name not in others
            why = only_verified(value.text for value in users.settings if _MIGRATES in value.path)
            for cost in costs_apart(lambda one: _of_class(app, one), [users]):
                yield replace(cost, wins=wins, why=joined(cost.why, why))


class _Users(NamedTuple):
    """The settings of one class of users."""

    root: str
    """One of `_ROOTS`, below which they are."""
    settings: list[Scalar]


def _by_class(scalars: Scalars, above: Path) -> dict[str, _Users]:
    """The settings of each class of users below some keys, whose paths are cut off."""
    classes: dict[str, _Users] = {}
    depth = len(above)
    for value in scalars:
        below = value.path[depth:]
        if value.path[:depth] != above or len(below) < 2:
            continue
        root, name, *rest = below
        if root in _ROOTS:
            cut = replace(value, path=tuple(rest))
            users = classes.setdefault(str(name), _Users(str(root), []))
            users.settings.append(cut)
    return classes


def _of_class(app: App, users: _Users) -> Costs:
    """The cost that the settings of one class of users make; ``auto`` is bcrypt since 5.3."""
    settings = _used_settings(users.settings)
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
    elif name == "auto" and users.root == ENCODERS:
        cure = "name sodium or bcrypt in place of auto"
        yield Found.undetermined(line, AUTO_OF_ENCODERS, cure=cure)
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


_TOO_FEW: Final = 3
"""Passes below which Symfony throws an exception since 4.3.2: symfony/security-core at v4.3.1 and
v4.3.2, Encoder/NativePasswordEncoder.php; symfony/password-hasher at v7.0.4, Hasher/*.php."""
_LANES: Final = "threads"
"""Counted by the encoder of argon2i from 4.1 on, ignored in 4.4 and refused since 5.0:
symfony/security-core at v4.1.0, v4.3.11 and v4.4.0, Encoder/EncoderFactory.php and
Argon2iPasswordEncoder.php; symfony/security-bundle at v4.4.0 and v5.0.0, MainConfiguration.php."""
_OLD_PHP: Final[Params] = {"memory_kib": 1024, "time_cost": 2, "parallelism": 2}
"""PHP's own default before 7.3.8 (php-src, php_password.h, before a7ff3a6483).

The encoder of argon2i takes PHP's before 4.4."""


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
    whys = []
    if name == "argon2i" and _is_certainly_before(app, "4.4"):
        default = _OLD_PHP
        if _LANES in given:
            values["parallelism"] = given[_LANES]
        if default.keys() != values.keys():
            whys.append("PHP's default before 7.3.8, the weakest, stands for what is not set")
    cost = cost_of(hasher, values, {})
    # Of its schemes the application says itself since when the default holds.
    if app.scheme(hasher) is not None:
        default = {}
    return replace(
        cost,
        params={**default, **cost.params},
        line=cost.line or line,
        why=joined(cost.why, *whys),
        refused=_refused(app, cost, given),
    )


def _refused(app: App, cost: Found, given: Mapping[str, Scalar]) -> str:
    """Say why Symfony does not start, or does not hash, with the settings of Argon2."""
    if _LANES in given and not _is_certainly_before(app, "5.0"):
        return f"since 5.0 it has no {_LANES}; remove the line"
    # Of its schemes the application has the limits.
    if app.scheme(cost.hasher) is not None or _is_certainly_before(app, "4.3.2"):
        return ""
    if cost.params.get("time_cost", _TOO_FEW) < _TOO_FEW:
        return f"time_cost must be at least {_TOO_FEW}"
    return ""


def _is_certainly_before(app: App, release: str) -> bool:
    """Tell whether the release is known, and older."""
    return app.release is not None and app.is_before(release)
