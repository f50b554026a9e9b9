"""WordPress: what the filters of 6.8 and newer make of algorithm and cost."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from hashcost.apps.files.production import closing
from hashcost.apps.interface import App, Found, joined
from hashcost.apps.signs import without_comments
from hashcost.core.errors import UntoldError
from hashcost.core.text import printable

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
)
_TERNARY: Final = re.compile(
    r"defined\(\s*['\"]\w*TEST\w*['\"]\s*\)\s*\?\s*\w+\s*:\s*(?P<other>\w+)"
)
_NAME: Final = re.compile(r"(?:self::|static::|\w+::)?(?P<name>[A-Za-z_]\w*)")
_PARAMS: Final = {
    "bcrypt": {"cost": "cost"},
    "argon2id": {
        "memory_kib": "memory_cost",
        "time_cost": "time_cost",
        "parallelism": "threads",
    },
}
_ARGON2: Final = {"memory_kib": 65536, "time_cost": 4, "parallelism": 1}
"""PHP's own, where the options leave one out."""


@dataclass(frozen=True)
class _Set:
    text: str
    line: int


def read(app: App, text: str) -> tuple[Found, ...]:
    """The cost that all filters of the file make together; the last value of each counts."""
    code = without_comments(text, app.comment)
    bodies = {"options": list[_Set](), "algorithm": list[_Set]()}
    for match in _FILTER.finditer(code):
        line = code.count("\n", 0, match.start()) + 1
        bodies[match["which"]].append(_Set(_body(code, match.end(), line), line))
    if not any(bodies.values()):
        return ()
    first = min(each.line for found in bodies.values() for each in found)
    hasher = "bcrypt"
    for each in bodies["algorithm"]:
        hasher = _algorithm(each)
    options: dict[str, int] = {}
    for each in bodies["options"]:
        options.update(_options(each, code))
    if hasher == "argon2i":
        return (Found.untold(first, "hashcost does not know the cost of argon2i", hasher),)
    params = {p: options[key] for p, key in _PARAMS[hasher].items() if key in options}
    if hasher == "argon2id":
        params = {**_ARGON2, **params}
    if bodies["options"] and not params:
        line = bodies["options"][-1].line
        raise UntoldError(line, "what the filter makes of the options is not read here")
    return (Found(hasher=hasher, params=params, line=first, why=joined("by a filter")),)


def _body(code: str, start: int, line: int) -> str:
    """The body of the function that a filter names, or has in its place."""
    named = _NAMED.match(code, start)
    if named is None:
        end = closing(code, code.rfind("(", 0, start))
        return code[start:end]
    name: str = next(filter(None, named.groups()))
    found = re.search(rf"\bfunction\s+&?{name}\s*\(", code)
    opening = code.find("{", found.end()) if found is not None else -1
    end = closing(code, opening) if opening >= 0 else None
    if end is None:
        raise UntoldError(line, f"the filter {printable(name)[:60]} is not in the file")
    return code[opening : end + 1]


def _algorithm(given: _Set) -> str:
    words = re.findall(
        r"PASSWORD_(?:ARGON2ID?|BCRYPT|DEFAULT)|['\"](?:2y|argon2id?)['\"]", given.text
    )
    if len(set(words)) != 1:
        raise UntoldError(given.line, "which algorithm the filter chooses is unknown")
    word = words[0].strip("'\"").removeprefix("PASSWORD_").lower()
    return "bcrypt" if word in {"2y", "default"} else word


def _options(given: _Set, code: str) -> Mapping[str, int]:
    return dict(_each(given, code))


def _each(given: _Set, code: str) -> Iterator[tuple[str, int]]:
    for match in _SETS.finditer(given.text):
        yield match["key"], _number(_first(given.text[match.end() :]), code, given.line)


def _first(text: str) -> str:
    """The expression up to the comma or bracket that ends it."""
    depth = 0
    for index, sign in enumerate(text):
        if depth == 0 and sign in ",;)]":
            return text[:index].strip()
        depth += (sign in "([") - (sign in ")]")
    return text.strip()


def _number(written: str, code: str, line: int) -> int:
    chosen = _TERNARY.fullmatch(written)
    text = chosen["other"] if chosen is not None else written
    if re.fullmatch(r"[0-9]{1,12}", text):
        return int(text)
    name = _NAME.fullmatch(text)
    if name is not None:
        constant = rf"\bconst\s+(?:int\s+)?{name['name']}\s*=\s*([0-9]+)\s*;"
        defined = rf"\bdefine\(\s*['\"]{name['name']}['\"]\s*,\s*([0-9]+)\s*\)"
        values = re.findall(constant, code) + re.findall(defined, code)
        if len(set(values)) == 1:
            return int(values[0])
    raise UntoldError(line, f"the filter sets {printable(written)[:60]}, which is unknown")
