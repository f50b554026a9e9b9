"""One call, read by one rule: the cost that it sets, or why the file does not tell it."""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Final

from hashcost.core.errors import Unread
from hashcost.core.measurement import Params
from hashcost.core.text import joined
from hashcost.core.units import parse_release
from hashcost.source_code.project import plain_name
from hashcost.source_code.rules import Param, Release, Rule, When, Where
from hashcost.source_code.translation import without_brackets
from hashcost.source_code.values import (
    LARGEST_BITS,
    SPREAD,
    Call,
    Data,
    Function,
    Prefix,
    Unknown,
    Value,
    described,
    dotted,
    is_resolved,
    number_of,
    variable_of,
)
from hashcost.source_code.versions import Pin

_REQUIRED: Final = re.compile(r"""\b(?:require|import)\(\s*['"]([^'"]+)['"]\s*\)""")
_LONGEST_SHOWN: Final = 60
_VERIFIER: Final = re.compile(
    r"_*(?:is_?|(?:pass(?:word|wd)?|pwd?|hash|user)s?_?)?(?:verif|check|compare|match|valid\w*pass)"
    r"|\w*(?:verify|compare)$"
)
_RENEWS: Final = re.compile(r"(?i:rehash|upgrade|update|create|migrate|ensure)|Or[A-Z]|_or_")
_SALT: Final = re.compile(r"salt(?:_?a?sync)?\W*$", re.IGNORECASE)
_NOTHING: Final = r"(?!\s*(?:(?:null|nil|none|undefined|false|true|0)\b|''|\"\"))"
_IS_EQUAL: Final = r"(?=\w*(?:equals?|(?:time_?|secure_?)compare|compare_?digest|ct_?eq))\w++"
_THEN_COMPARED: Final = re.compile(
    rf"(?:\[[^\[\]]*\])?\s*(?:[!=]==?{_NOTHING}|\.{_IS_EQUAL}\s*\()", re.IGNORECASE
)
_IN_COMPARISON: Final = re.compile(
    rf"(?:[!=]==?\s*+[&$\w.]*+|\b{_IS_EQUAL}\s*+\((?:[^;{{}}()]|\([^;{{}}()]*+\))*+)$",
    re.IGNORECASE,
)
_CHAIN: Final = re.compile(r"(?:\s*(?:\?\.|->|\.)\s*\w+\s*\((?:[^()]|\([^()]*\))*\)){0,64}")
_ASKS: Final = re.compile(
    r"\s*(?:\?\.|\?->|->|\.)\s*(?:verif|check|compare|matches\b)", re.IGNORECASE
)
"""A question about a hash, which has its own cost."""
_GIVEN_TO: Final = re.compile(r"(?<![\w.:])[\w.:]++\(\s*+$")
_AND_ENDED: Final = re.compile(r"\s*(?:,[^(),]*)?\)")
_ASSIGNED: Final = re.compile(
    r"\b(?P<name>[^\W\d]\w*+)(?:\s*+,\s*+\w++)?+(?:\s*+:\s*+[\w<>\[\]]++)?+"
    r"\s*+:?=\s*+(?:await\s++)?+(?:new\s++)?+$"
)
_WORD: Final = re.compile(r"\b[^\W\d]\w*")
_BEFORE: Final = 200  # characters before an expression that tell what becomes of it
_STEPS: Final = 3  # names from one to another
_MOST_USES: Final = 8  # of one name


def unadorned(name: str) -> str:
    """Take a name without blanks, ``new``, generics, optional chaining and a leading backslash."""
    plain = _REQUIRED.sub(r"\1", " ".join(name.split()))
    plain = plain.replace("?.", ".").replace("?->", "->")
    return _generic(plain)[0].removeprefix("\\").removeprefix("new ")


def _generic(name: str) -> tuple[str, str]:
    """Take a name apart: what stands before its type arguments, and the first of these."""
    before, _, arguments = name.removesuffix(">").partition("<")
    first = arguments.partition(",")[0]
    if not first or not name.endswith(">"):
        return name, ""
    return before.removesuffix("::"), first


def is_verifier(function: str) -> bool:
    """Tell by the name of a function that what it hashes is only compared."""
    return bool(_VERIFIER.match(function.lower())) and not _RENEWS.search(function)


def only_verifies(text: str, start: int, end: int, within: int, steps: int = _STEPS) -> bool:
    """Tell whether an expression only asks about hashes or, within a function, is compared.

    ``within`` is where the function ends, and zero outside of one.
    """
    limit, before = within or len(text), max(0, start - _BEFORE)
    if _ASKS.match(text, end):
        return True
    chain = _CHAIN.match(text, end, limit)
    end = chain.end() if chain else end
    in_comparison = within and _IN_COMPARISON.search(text, before, start)
    given, ended = _GIVEN_TO.search(text, before, start), _AND_ENDED.match(text, end, limit)
    if given and ended and steps and not in_comparison:
        return only_verifies(text, given.start(), ended.end(), within, steps - 1)
    if in_comparison or (within and _THEN_COMPARED.match(text, end)):
        return True
    assigned = _ASSIGNED.search(text, before, start) if steps else None
    if assigned is None:
        return False
    places, length = _places(text)[assigned["name"]], len(assigned["name"])
    uses = places[bisect_left(places, end) : bisect_left(places, limit)]
    return 0 < len(uses) <= _MOST_USES and all(
        only_verifies(text, use, use + length, within, steps - 1) for use in uses
    )


@lru_cache(maxsize=1)
def _places(text: str) -> Mapping[str, list[int]]:
    """Find the places of each word once for all calls of a file."""
    places: dict[str, list[int]] = defaultdict(list)
    for word in _WORD.finditer(text):
        places[word[0]].append(word.start())
    return places


@dataclass(frozen=True, kw_only=True)
class Site:
    """A call, or an assignment: then the value is its only argument.

    ``name`` is as it is written; ``names`` have dots, with imports and aliases written in full.
    A site that ``is_whole`` is a class, or a value that a file returns, and sets a cost on one
    of its lines. A call that ``verifies`` makes no new hash. ``behind`` names the call in whose
    list it stands, though not first.
    """

    name: str
    names: tuple[str, ...]
    line: int
    call: Call
    column: int = 0
    assigns: bool = False
    in_tests: bool = False
    is_whole: bool = False
    verifies: bool = False
    behind: str = ""

    def is_named(self, pattern: str) -> bool:
        """Tell whether it has a rule's name, at the end of its own unless that has a ``^``."""
        name = plain_name(pattern.removeprefix("^"))
        ends = () if pattern.startswith("^") else (f".{name}", f"/{name}")
        return any(own == name or own.endswith(ends) for own in self.names)


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A call that sets a cost; ``why`` says why the cost is unknown.

    ``path`` is that of its file, among several. The call ``sets`` a setting of the whole
    project, or ``follows`` such settings if it leaves its cost out. ``hasher`` is empty if
    unknown. ``unread`` is the reason if a file was not read that may hold the cost.
    """

    line: int
    call: str
    why: str = ""
    in_tests: bool = False
    path: Path = Path()
    library: str = field(default="", compare=False)
    hasher: str = ""
    sets: str = field(default="", compare=False)
    follows: tuple[str, ...] = field(default=(), compare=False)
    unread: Unread | None = None


@dataclass(frozen=True, kw_only=True)
class SetCost(Setting):
    """A cost that a file sets; ``why`` says what the cost depends on.

    Params that are not ``written`` in the call are defaults; ``lines`` are those of the others'
    numbers, and ``depends`` what these depend on. ``environment`` is the variable that may set
    them instead.
    """

    hasher: str
    params: Params
    written: tuple[str, ...] = field(default=(), compare=False)
    lines: Mapping[str, int] = field(default_factory=dict, compare=False)
    depends: str = field(default="", compare=False)
    environment: str = field(default="", compare=False)


class Unresolved(Exception):  # noqa: N818 - no error: the file does not say it
    """A cost is unknown; ``follows`` names the settings of the project that decide it.

    ``hasher`` is its algorithm, if not the rule's.
    """

    def __init__(self, why: str, follows: tuple[str, ...] = (), hasher: str | None = None) -> None:
        super().__init__(why)
        self.follows = follows
        self.hasher = hasher


@dataclass(frozen=True)
class Reading:
    """A call, read by a rule.

    ``near`` holds the first arguments of other calls of the file, by the names of these and by
    their text; ``pins`` are those of the packages that the project uses, and ``makers`` the names
    of all calls that have a row.
    """

    site: Site
    rule: Rule
    near: Mapping[str, Mapping[str, Data]]
    pins: Mapping[str, Pin]
    makers: frozenset[str]

    def setting(self) -> Setting | None:
        """Read the cost that the call sets, or why it is unknown; ``None`` if it sets none."""
        rule, site = self.rule, self.site
        verifies = site.verifies or (rule.first_in and site.behind.endswith(rule.first_in))
        if verifies or (rule.arity and len(site.call.arguments) not in rule.arity):
            return None
        for options in (site.call.argument("options", position) for position in rule.options):
            function = options.data.function if options and isinstance(options.data, Call) else ""
            if ".".join(function.split(".")[-2:]) in self.makers:
                return None  # It has a row of its own.
        setting = Setting(
            line=site.line,
            call=" ".join(site.name.split())[-_LONGEST_SHOWN:],
            in_tests=site.in_tests,
            library=rule.library,
            sets=rule.sets,
            follows=rule.follows,
        )
        try:
            return self._cost(setting)
        except Unresolved as unresolved:
            hasher = rule.hasher if unresolved.hasher is None else unresolved.hasher
            return replace(
                setting, why=str(unresolved), hasher=hasher or "", follows=unresolved.follows
            )

    def _cost(self, setting: Setting) -> SetCost | None:
        rule, site, release = self.rule, self.site, self._release
        in_text = self._in_text() if rule.when is None or self._holds(rule.when) else None
        if in_text is None:
            return None
        defaults = release.params if release else {}
        params: Params = {}
        values: dict[str, Value] = {}
        for name, param in rule.params.items():
            value = in_text.get(name) or self._number(name, param)
            default = defaults.get(name, param.default)
            if value is not None:
                values[name] = value
                params[name] = _in_unit(param, number_of(value.data) or 0)
            elif default is not None and not self._is_salt(param):
                params[name] = _in_unit(param, default)
        left = [name for name in rule.params if name not in values]
        missing = [name for name in left if name not in params]
        if missing and values:
            raise Unresolved(f"{' and '.join(missing)} not given")
        if missing or (not values and site.is_whole):
            salted = any(self._is_salt(rule.params[name]) for name in missing)
            if not rule.decides and (site.is_whole or rule.sets or salted):
                return None
            raise Unresolved(rule.decides or "its cost is not given", rule.follows)
        notes = [why for value in values.values() for why in value.whys]
        depends, environment = joined(*notes), variable_of(notes)
        if left and rule.why:
            packages = (other.package for other in rule.releases)
            package = next((name for name in packages if name in self.pins), "")
            why = f"the default of {package} {self.pins[package].version}" if package else rule.why
            notes.append(f"{' and '.join(left)}: {why}" if values else why)
        for name, number in tuple(params.items()):
            clamp = next((clamp for clamp in rule.clamp if number < clamp.below), None)
            if clamp is not None:
                params[name] = clamp.becomes
                notes.append(f"{number} is written, and {clamp.why}")
        line = next(iter(values.values())).line if site.is_whole else site.line
        hasher, why = self._hasher(in_text), "; ".join(dict.fromkeys(notes))
        given = {**vars(setting), "hasher": hasher, "line": line, "why": why}
        given["environment"] = environment
        lines = {name: value.line for name, value in values.items() if value.line}
        return SetCost(**given, params=params, written=tuple(values), lines=lines, depends=depends)

    def _holds(self, when: When) -> bool:
        values = [value for value in (self._named(when) or self._at(when),) if value]
        for position in self.rule.options:
            options = self.site.call.argument("options", position)
            if options is not None and isinstance(options.data, dict):
                values += [options.data[name] for name in when.names if name in options.data]
        if any(_word(text_of(value.data), when.values) for value in values):
            return True
        if self.rule.sets or (when.only and all(is_resolved(value.data) for value in values)):
            return False
        shown = described(values[0].data) if values else "not given"
        raise Unresolved(f"its algorithm is {shown}", hasher="")

    @cached_property
    def _release(self) -> Release | None:
        for release in self.rule.releases:
            pin = self.pins.get(release.package)
            number = parse_release(pin.version if pin else "")
            if pin is not None and (
                (release.below and number < parse_release(release.below))
                or (release.since and number >= parse_release(release.since))
            ):
                return release
        return None

    def _in_text(self) -> Mapping[str, Value] | None:
        """Read the params in a text; ``None`` if the rule is not about such a text."""
        text, release = self.rule.text, self._release
        if text is None:
            return {}
        value = self._value(text) or Value(None, self.site.call.line)
        written = value.data.text if isinstance(value.data, Prefix) else value.data
        if written is None:
            written = (release.text if release else None) or text.default
        if written is None and self.rule.decides:
            raise Unresolved(self.rule.decides, self.rule.follows)
        if not isinstance(written, str):
            if text.only or written is None:
                return None
            raise Unresolved(f"its method is {described(written)}")
        match = re.match(text.pattern, written)
        if match is None or any(len(part) > _LONGEST_SHOWN for part in match.groups("")):
            if text.only or self.rule.sets:
                return None
            raise Unresolved(f"its method is {described(written)}", hasher="")
        return {
            name: replace(value, data=part if name == "which" else int(part, text.base))
            for name, part in match.groupdict().items()
            if part
        }

    def _number(self, name: str, param: Param) -> Value | None:
        call = self.site.call
        value = call.arguments[0] if self.site.assigns else self._value(param)
        if value is None:
            if not call.whole:
                raise Unresolved("its arguments are put together elsewhere")
            return None
        number = number_of(value.data)
        if number is not None and number >= 0:
            return value
        left_out = value.data is None and (param.none or param.default is None)
        if left_out or isinstance(value.data, Function) or self._is_salt(param):
            return None
        raise Unresolved(f"{name} is {described(value.data)}")

    def _is_salt(self, param: Param) -> bool:
        value = self._value(param) if param.salts else None
        return value is not None and bool(_SALT.search(described(value.data).rstrip("(.)")))

    def _value(self, where: Where) -> Value | None:
        """Find an argument by its name, as an option, or by its position."""
        named = self._named(where)
        for position in () if named or not where.names else self.rule.options:
            option = self._option(where, position)
            if option is not None:
                return option
        return named or self._at(where)

    def _named(self, where: Where) -> Value | None:
        keywords = self.site.call.keywords
        return next((keywords[name] for name in where.names if name in keywords), None)

    def _at(self, where: Where) -> Value | None:
        """Find the first number at some positions, or else the first value."""
        values = [value for at in where.at for value in self.site.call.arguments[at : at + 1]]
        numbers = (value for value in values if number_of(value.data) is not None)
        return next(numbers, values[0] if values else None)

    def _option(self, where: Where, position: int) -> Value | None:
        options = self.site.call.argument("options", position)
        data = None if options is None else options.data
        if isinstance(data, Call) and (data.keywords or data.name == "default"):
            data = dict(data.keywords)
        if self.rule.inside and isinstance(data, dict):
            data = data[self.rule.inside].data if self.rule.inside in data else None
        if isinstance(data, dict):
            option = next((data[name] for name in data if name in where.names), None)
            if option is None and SPREAD in data:
                raise Unresolved(f"its options are {described(data[SPREAD].data)}")
            return option
        if data is None or isinstance(data, Function | int | str):
            return None
        raise Unresolved(f"its options are {described(data)}")

    def _hasher(self, in_text: Mapping[str, Value]) -> str:
        which = self.rule.which
        if which is None:
            return self.rule.hasher or ""
        if self._release is not None and self._release.hasher and not self._value(which):
            return self._release.hasher
        words: Sequence[Data] = []
        if "which" in in_text:
            words = [in_text["which"].data]
        elif which.near is not None:
            words = [*self.near[which.near].values()]
        elif which.generic:
            _, first = _generic(self.site.name)
            words = [Unknown(first)] if first else []
        elif (value := self._value(which)) is not None and (
            number_of(value.data) is None or str(value.data) in which.values
        ):
            words = [value.data]
        words = words or ([] if which.default is None else [which.default])
        names = {which.values.get(_word(text_of(data), tuple(which.values))) for data in words}
        hasher = names.pop() if len(names) == 1 else None
        if hasher is None:
            shown = ", ".join(sorted({described(data)[:40] for data in words}))
            raise Unresolved(f"its algorithm is {shown or 'unknown'}")
        return hasher


def text_of(data: Data) -> str:
    """Read data as a word of the rule."""
    if isinstance(data, Unknown):
        return data.text
    if isinstance(data, Call):
        return data.function
    if isinstance(data, dict) and "name" in data:
        return text_of(data["name"].data)
    if isinstance(data, tuple):
        return text_of(data[0].data) if data else ""
    return "null" if data is None else dotted(data) or str(data)


def _word(text: str, words: tuple[str, ...]) -> str:
    plain = without_brackets(text).lower()
    last = re.split(r"\.|::|\\", plain)[-1]
    return plain if plain in words else last if last in words else ""


def _in_unit(param: Param, number: int) -> int:
    if param.unit == "bytes":
        return number // 1024
    if param.unit == "exponent":
        return max(0, number.bit_length() - 1)
    if param.unit == "log2" and number > LARGEST_BITS:
        raise Unresolved(f"it is 2 to the power of {number}")
    return 1 << number if param.unit == "log2" else number
