"""The costs that one source file sets, by the rules of its language."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from hashcost.core.errors import UnreadableInputError
from hashcost.source_code.parsed_file import ParsedFile
from hashcost.source_code.project.elsewhere import Elsewhere
from hashcost.source_code.project.imports import plain_name
from hashcost.source_code.python.file import Class
from hashcost.source_code.python.statements import read_python
from hashcost.source_code.reading import Around, Reading, SetCost, Setting, Untold, text_of
from hashcost.source_code.rules import Language, Rule, last_word, load_language
from hashcost.source_code.sites import Site
from hashcost.source_code.values import Call, Data, dotted


@dataclass(frozen=True, kw_only=True)
class Matches:
    """What one file holds, in its order."""

    costs: tuple[SetCost, ...] = ()
    unknown: tuple[Setting, ...] = ()


@dataclass(frozen=True)
class _File:
    """A text to look for sites in."""

    text: str
    language: Language
    grammar: str
    path: str
    elsewhere: Elsewhere | None


def found_in(
    text: str,
    language: str,
    *,
    grammar: str | None = None,
    path: str = "",
    elsewhere: Elsewhere | None = None,
) -> Matches:
    """Every cost in a source text, by the rules of a language of `rules.LANGUAGES`.

    With its path, what other files of its project define counts too.

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
    gather = frozenset(last_word(name) for rule in rules if rule.gathers for name in rule.calls)
    file = _File(text, known, grammar, path, elsewhere)
    try:
        sites = sorted(_sites(file, frozenset(words), gather), key=_place)
    except RecursionError:
        raise UnreadableInputError("it is nested too deeply to be read") from None
    others = {name: _first_arguments(sites, name) for name in near}
    costs: list[SetCost] = []
    unknown: list[Setting] = []
    for _, group in groupby(sites, key=_place):
        found: list[SetCost] = []
        untold: list[Setting] = []
        for site in group:
            of_site = _of_site(site, rules, Around(others, path, elsewhere))
            said = [(each.line, each.hasher, each.params) for each in found]
            found += [
                each for each in of_site.costs if (each.line, each.hasher, each.params) not in said
            ]
            untold += of_site.unknown
        costs += found
        unknown += () if found else untold[:1]
    return Matches(costs=tuple(costs), unknown=tuple(unknown))


def _first_arguments(sites: Sequence[Site], name: str) -> list[Data]:
    """What the calls of a name are given first."""
    calls = [call for site in sites if _is_named(site, name) for call in site.calls]
    return list(
        {text_of(each.data): each.data for call in calls for each in call.arguments[:1]}.values()
    )


def _place(site: Site) -> tuple[int, int]:
    return site.line, site.column


def _sites(file: _File, words: frozenset[str], gather: frozenset[str]) -> Iterator[Site]:
    """Every call and assignment of a text whose name ends in one of these words.

    Python is read as the readers of applications read it; a file that this Python does not
    parse, say of Python 2, as the other languages are.
    """
    if file.language.language == "python":
        try:
            yield from _python_sites(file, words)
            return
        except UnreadableInputError:
            pass
    parsed = ParsedFile(file.text, file.language, file.grammar, file.path, file.elsewhere)
    yield from parsed.sites(words, gather)


def _python_sites(file: _File, words: frozenset[str]) -> Iterator[Site]:
    source = read_python(file.text, file.path, file.elsewhere)
    called = [each for each in source.called if each.call.name in words]
    called.sort(key=lambda each: (*each.end, each.call.function))
    verifying = {
        (each.call.function, each.end)
        for each in source.called
        if "().verify" in each.call.function
    }
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
            verifies=(f"{name}().verify", (line, column + len("().verify"))) in verifying,
        )
    for given in (*source.assigned, *source.stored):
        if given.name in words and not given.local:
            call = Call(function="", arguments=given.values[-1:], keywords={}, line=given.line)
            yield Site(
                name=given.name,
                line=given.line,
                column=0,
                calls=(call,),
                assigns=True,
                in_tests=bool(given.apart),
            )
    for known in source.classes.values():
        for base in known.bases:
            name = dotted(base)
            if last_word(name) in words:
                yield _class_site(known, f"class {name}")


def _class_site(known: Class, name: str) -> Site:
    """A class as a call of its base, given its attributes."""
    given = {
        attribute: assigned[-1].values[-1]
        for attribute, assigned in known.attributes.items()
        if assigned and assigned[-1].values
    }
    lines = {attribute: assigned[-1].line for attribute, assigned in known.attributes.items()}
    keywords = {each: replace(value, line=lines[each]) for each, value in given.items()}
    call = Call(function=name, arguments=(), keywords=keywords, line=known.line)
    return Site(name=name, line=known.line, column=0, calls=(call,), in_tests=bool(known.apart))


def _of_site(site: Site, rules: Sequence[Rule], around: Around) -> Matches:
    """The costs of a site, those of the first rule for each hasher, and what is not told."""
    costs: dict[str, list[SetCost]] = {}
    unknown = []
    for rule in rules:
        patterns = rule.assigns if site.assigns else rule.calls
        if not any(_is_named(site, pattern) for pattern in patterns):
            continue
        found: dict[str, list[SetCost]] = {}
        try:
            for call in site.calls:
                cost = Reading(call, site, rule, around).cost()
                if cost is None:
                    continue
                same = found.setdefault(cost.hasher, [])
                if all(cost.params != each.params for each in same):
                    same.append(cost)
            costs = {**found, **costs}
        except Untold as untold:
            why = str(untold)
            unknown.append(
                Setting(
                    line=site.line,
                    call=site.shown,
                    why=why,
                    in_tests=site.in_tests,
                    library=rule.library,
                    hasher=rule.hasher or "",
                    sets=rule.sets,
                    follows=untold.follows,
                )
            )
    return Matches(
        costs=tuple(cost for each in costs.values() for cost in each), unknown=tuple(unknown)
    )


def _is_named(site: Site, pattern: str) -> bool:
    """Whether a site is called as a pattern says, or ends so, by any of its names."""
    made, wanted = site.plain.startswith("new "), "new " in pattern
    if made != wanted:
        return False
    exact = pattern.startswith("^")
    wanted_name = plain_name(pattern.removeprefix("^").removeprefix("new "))
    return any(
        name == wanted_name
        or (not exact and name.endswith((f".{wanted_name}", f"/{wanted_name}")))
        for name in site.names
    )
