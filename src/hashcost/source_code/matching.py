"""The costs that one source file sets, by the rules of its language."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Final, TypeAlias

from hashcost.core.errors import UnreadableInputError
from hashcost.core.measurement import Params
from hashcost.source_code.parsed_file import ParsedFile
from hashcost.source_code.python_statements import read_python
from hashcost.source_code.rules import (
    Language,
    Param,
    Rule,
    When,
    Where,
    Which,
    last_word,
    load_language,
)
from hashcost.source_code.sites import Site
from hashcost.source_code.translation import without_brackets
from hashcost.source_code.values import (
    SPREAD,
    Call,
    Data,
    Function,
    Unknown,
    Value,
    described,
    dotted,
    number_of,
)

_ENDS: Final = re.compile(r"(?:\.|::|->|\\)$")
_SALT: Final = re.compile(r"salt\W*$", re.IGNORECASE)
_HIGHEST: Final = 2**62
_HIGHEST_LOG2: Final = 62


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A call that sets a cost; ``why`` says why the file does not tell which."""

    line: int
    call: str
    why: str = ""
    in_tests: bool = False
    path: Path = Path()
    """Of the file, where it is one of several."""
    library: str = field(default="", compare=False)
    """Whose call it is."""


@dataclass(frozen=True, kw_only=True)
class SetCost(Setting):
    """A cost that a file sets; ``why`` says what is not simply as it is written."""

    hasher: str
    params: Params
    library: str


@dataclass(frozen=True, kw_only=True)
class Matches:
    """What one file holds, in its order."""

    costs: tuple[SetCost, ...] = ()
    unknown: tuple[Setting, ...] = ()


_Elsewhere: TypeAlias = Mapping[str, list[Data]]
"""What other calls of the file are given, by their names."""


class _Untold(Exception):  # noqa: N818 - no error: the file does not say it
    """Why a cost is not known."""


def found_in(text: str, language: str, *, grammar: str | None = None) -> Matches:
    """Every cost in a source text, by the rules of a language of `rules.LANGUAGES`.

    Raises:
        UnavailableError: the grammars are not installed.
        UnreadableInputError: thousands of calls are on one line, or it is nested too deeply.
    """
    known = load_language(language)
    rules = [rule for rule in known.rule if rule.fits(text)]
    if not rules:
        return Matches()
    words = {last_word(name) for rule in rules for name in (*rule.calls, *rule.assigns)}
    near = {rule.which.near for rule in rules if rule.which and rule.which.near}
    words |= {last_word(name) for name in near}
    grammar = grammar or next(iter(known.grammars.values()))
    try:
        sites = sorted(_sites(text, known, grammar, frozenset(words)), key=_place)
    except RecursionError:
        raise UnreadableInputError("it is nested too deeply to be read") from None
    elsewhere = {name: _first_arguments(sites, name) for name in near}
    costs: list[SetCost] = []
    unknown: list[Setting] = []
    for _, group in groupby(sites, key=_place):
        found: list[SetCost] = []
        untold: list[Setting] = []
        for site in group:
            of_site = _of_site(site, rules, elsewhere)
            found += [each for each in of_site.costs if each not in found]
            untold += of_site.unknown
        costs += found
        unknown += () if found else untold[:1]
    return Matches(costs=tuple(costs), unknown=tuple(unknown))


def _first_arguments(sites: Sequence[Site], name: str) -> list[Data]:
    """What the calls of a name are given first."""
    calls = [call for site in sites if _fits(site.plain, name) for call in site.calls]
    return list(
        {_text(each.data): each.data for call in calls for each in call.arguments[:1]}.values()
    )


def _place(site: Site) -> tuple[int, int]:
    return site.line, site.column


def _sites(text: str, language: Language, grammar: str, words: frozenset[str]) -> Iterator[Site]:
    """Every call and assignment of a text whose name ends in one of these words.

    Python is read as the readers of applications read it; a file that this Python does not
    parse, say of Python 2, as the other languages are.
    """
    if language.language == "python":
        try:
            yield from _python_sites(text, words)
            return
        except UnreadableInputError:
            pass
    yield from ParsedFile(text, language, grammar).sites(words)


def _python_sites(text: str, words: frozenset[str]) -> Iterator[Site]:
    called = [each for each in read_python(text).called if each.call.name in words]
    called.sort(key=lambda each: (*each.end, each.call.function))
    for (name, (line, column)), group in groupby(
        called, key=lambda each: (each.call.function, each.end)
    ):
        forms = list(group)
        yield Site(
            name=name,
            line=line,
            column=column,
            calls=tuple(each.call for each in forms),
            in_tests=all(each.apart for each in forms),
        )


def _of_site(site: Site, rules: Sequence[Rule], elsewhere: _Elsewhere) -> Matches:
    """The costs of a site, those of the first rule for each hasher, and what is not told."""
    costs: dict[str, list[SetCost]] = {}
    unknown = []
    for rule in rules:
        patterns = rule.assigns if site.assigns else rule.calls
        if not any(_fits(site.plain, pattern) for pattern in patterns):
            continue
        found: dict[str, list[SetCost]] = {}
        try:
            for call in site.calls:
                cost = _Reading(call, site, rule, elsewhere).cost()
                if cost is None:
                    continue
                same = found.setdefault(cost.hasher, [])
                if all(cost.params != each.params for each in same):
                    same.append(cost)
            costs = {**found, **costs}
        except _Untold as untold:
            why = str(untold)
            unknown.append(
                Setting(
                    line=site.line,
                    call=site.shown,
                    why=why,
                    in_tests=site.in_tests,
                    library=rule.library,
                )
            )
    return Matches(
        costs=tuple(cost for each in costs.values() for cost in each), unknown=tuple(unknown)
    )


@dataclass(frozen=True)
class _Reading:
    """One form of a call, read by a rule."""

    call: Call
    site: Site
    rule: Rule
    elsewhere: _Elsewhere

    def cost(self) -> SetCost | None:
        """The cost that is set; ``None`` if there is none."""
        rule = self.rule
        if rule.when is not None and not self._holds(rule.when):
            return None
        params: Params = {}
        notes: list[str] = []
        told = 0
        for name, param in rule.params.items():
            value = self._number(name, param)
            if value is not None:
                number = number_of(value.data)
                params[name] = _in_unit(param, 0 if number is None else number)
                notes += value.whys
                told += 1
            elif param.default is not None and not self._is_salt(param):
                params[name] = _in_unit(param, param.default)
        if not told and any(param.default is None for param in rule.params.values()):
            return None
        missing = [name for name in rule.params if name not in params]
        if missing:
            raise _Untold(f"{' and '.join(missing)} not given")
        if told < len(params) and rule.why:
            notes.append(rule.why)
        notes += [rule.note] if rule.note else []
        for name, number in params.items():
            clamp = next((each for each in rule.clamp if number < each.below), None)
            if clamp is not None:
                params[name] = clamp.becomes
                notes.append(f"{number} is written, and {clamp.why}")
        named = None if rule.which is None else self._hasher(rule.which)
        return SetCost(
            hasher=rule.hasher or named or "",
            params=params,
            line=self.site.line,
            call=self.site.shown,
            library=rule.library,
            why="; ".join(dict.fromkeys(notes)),
            in_tests=self.site.in_tests,
        )

    def _number(self, name: str, param: Param) -> Value | None:
        """The number that a param is given; ``None`` if it is left out."""
        values = [*self.call.arguments] if self.site.assigns else self._arguments(param)
        for value in values:
            number = number_of(value.data)
            if number is not None and 0 <= number < _HIGHEST:
                return value
        if values and self._is_salt(param):
            return None
        left_out = values and (
            isinstance(values[0].data, Function)
            or (values[0].data is None and param.default is None)
        )
        if values and not left_out:
            raise _Untold(f"{name} is {described(values[0].data)}")
        if not values and not self.call.whole:
            raise _Untold("its arguments are put together elsewhere")
        return None

    def _is_salt(self, param: Param) -> bool:
        """Whether a salt that was made elsewhere, with a cost of its own, stands there."""
        values = self._arguments(param) if param.salts else []
        return bool(values) and bool(_SALT.search(described(values[0].data).rstrip("(.)")))

    def _arguments(self, where: Where) -> list[Value]:
        """What may hold what is asked for, the likeliest first."""
        named = self._named(where)
        for position in () if named else self.rule.options:
            found = self._option(where.names, position)
            if found is not None:
                return [found]
        return named[:1] or self._at(where)

    def _named(self, where: Where) -> list[Value]:
        return [self.call.keywords[name] for name in where.names if name in self.call.keywords]

    def _at(self, where: Where) -> list[Value]:
        return [each for at in where.at for each in self.call.arguments[at : at + 1]]

    def _option(self, names: Sequence[str], position: int) -> Value | None:
        """The value of an option, in the mapping that stands at a position."""
        given = self.call.argument("options", position)
        if given is None or not names:
            return None
        data = given.data
        options = data.sets if isinstance(data, Function) and self.rule.deep else data
        if isinstance(options, dict):
            found = next((options[name] for name in options if name in names), None)
            if found is None and SPREAD in options:
                raise _Untold(f"its options are {described(options[SPREAD].data)}")
            return found
        if self.rule.deep or data is None or isinstance(data, Function | int):
            return None
        raise _Untold(f"its options are {described(data)}")

    def _holds(self, when: When) -> bool:
        values = [*self._named(when), *self._at(when)]
        return bool(values) and _word(_text(values[0].data), when.values) != ""

    def _hasher(self, which: Which) -> str:
        """The hasher that a word among the arguments names."""
        if which.near is not None:
            given = self.elsewhere[which.near]
        elif which.generic:
            given = [Unknown(self.site.generic)] if self.site.generic else []
        else:
            given = [each.data for each in self._arguments(which)[:1]]
        if not given and which.default is not None:
            given = [which.default]
        found = {which.values.get(_word(_text(data), tuple(which.values))) for data in given}
        hasher = found.pop() if len(found) == 1 else None
        if hasher is None:
            shown = ", ".join(sorted({described(data)[:40] for data in given}))
            raise _Untold(f"its algorithm is {shown}" if shown else "its algorithm is not told")
        return hasher


def _fits(name: str, pattern: str) -> bool:
    """Whether a name is a pattern's, or a longer one that ends in it."""
    if pattern.startswith("^"):
        return name == pattern[1:]
    if name == pattern:
        return True
    made, wanted = name.startswith("new "), pattern.startswith("new ")
    if made != wanted:
        return False
    name, pattern = name.removeprefix("new "), pattern.removeprefix("new ")
    return name.endswith(pattern) and (
        name == pattern or bool(_ENDS.search(name[: -len(pattern)]))
    )


def _text(data: Data) -> str:
    """Data as a word may stand for it."""
    if isinstance(data, Unknown):
        return data.text
    if isinstance(data, Call):
        return data.function
    return "null" if data is None else dotted(data) or str(data)


def _word(text: str, known: tuple[str, ...]) -> str:
    """The one of several words that a text is, or ends in; empty if it is none of them."""
    plain = without_brackets(text).lower()
    if plain in known:
        return plain
    last = re.split(r"\.|::|\\", plain)[-1]
    return last if last in known else ""


def _in_unit(param: Param, number: int) -> int:
    if param.unit == "count":
        return number
    if number > _HIGHEST_LOG2:
        raise _Untold(f"it is 2 to the power of {number}")
    return 1 << number
