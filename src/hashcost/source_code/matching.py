"""The costs that one source file sets, by the rules of its language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from pathlib import Path

from hashcost.core.errors import UnreadableInputError
from hashcost.source_code.files import NotReadError, content_of
from hashcost.source_code.parsed_file import ParsedFile
from hashcost.source_code.project import Module, Project, plain_name
from hashcost.source_code.python import read_python
from hashcost.source_code.reading import Reading, SetCost, Setting, Site, text_of
from hashcost.source_code.rules import Rule, by_suffix, last_word, load_language
from hashcost.source_code.values import Call, Data, dotted
from hashcost.source_code.versions import versions_beside


@dataclass(frozen=True, kw_only=True)
class Matches:
    """The costs of one file, in its order."""

    costs: tuple[SetCost, ...] = ()
    unknown: tuple[Setting, ...] = ()


def found_in(
    text: str,
    language: str,
    *,
    grammar: str | None = None,
    path: str = "",
    project: Project | None = None,
) -> Matches:
    """Find every cost in a source text, by the rules of a language of `rules.LANGUAGES`.

    With its path, what other files of its project define counts too. Python is read as the
    readers of applications read it, unless this Python does not parse it.

    Raises:
        UnavailableError: the grammars are not installed.
        UnreadableInputError: thousands of calls are on one line, or it is nested too deeply.
    """
    known = load_language(language)
    rules = [rule for rule in known.rule if rule.fits(text)]
    if not rules:
        return Matches()
    near = {rule.which.near for rule in rules if rule.which and rule.which.near}
    names = {name for rule in rules for name in (*rule.calls, *rule.assigns)}
    words = frozenset(map(last_word, names | near))
    gather = frozenset(last_word(name) for rule in rules if rule.gathers for name in rule.calls)
    sites: Sequence[Site] = ()
    try:
        if language == "python":
            sites = list(_python_sites(text, words, path, project))
    except UnreadableInputError:
        language = "Python that this one does not parse"
    try:
        if language != "python":
            grammar = grammar or next(iter(known.grammars.values()))
            parsed = ParsedFile(text, known, grammar, path, project)
            sites = list(parsed.sites(words, gather))
    except RecursionError:
        raise UnreadableInputError("it is nested too deeply to be read") from None
    others = {name: _first_arguments(sites, name) for name in near}
    versions = {} if project is None else versions_beside(path)
    costs: list[SetCost] = []
    unknown: list[Setting] = []
    for _, group in groupby(sorted(sites, key=_place), key=_place):
        at_place: dict[tuple[int, str, str], SetCost] = {}
        untold: list[Setting] = []
        for site in group:
            hashers: dict[str, SetCost] = {}
            for setting in _settings(site, rules, others, versions):
                if isinstance(setting, SetCost):
                    hashers.setdefault(setting.hasher, setting)
                else:
                    untold.append(setting)
            for cost in hashers.values():
                at_place.setdefault((cost.line, cost.hasher, str(cost.params)), cost)
        costs += at_place.values()
        unknown += () if at_place else untold[:1]
    return Matches(costs=tuple(costs), unknown=tuple(unknown))


def project_of(paths: Sequence[str]) -> Project:
    """Open the files of a project as others take names from them."""
    return Project(paths, _text, _opened)


@lru_cache(maxsize=64)
def _text(path: str) -> str | None:
    try:
        return content_of(Path(path)).decode(errors="replace")
    except NotReadError:  # Its own row says so.
        return None


def _opened(path: str, text: str, project: Project) -> Module | None:
    language, grammar = by_suffix()[Path(path).suffix.lower()]
    if language.language != "python":
        return ParsedFile(text, language, grammar, path, project)
    try:
        file = read_python(text, path)
    except UnreadableInputError:
        return None
    file.project = project  # From now on: only the names that are asked for are followed.
    return file


def _first_arguments(sites: Sequence[Site], name: str) -> list[Data]:
    data = [each.data for site in sites if site.is_named(name) for each in site.call.arguments[:1]]
    return list({text_of(each): each for each in data}.values())


def _place(site: Site) -> tuple[int, int]:
    return site.line, site.column


def _python_sites(
    text: str, words: frozenset[str], path: str, project: Project | None
) -> Iterator[Site]:
    source = read_python(text, path, project)
    verified = {
        (called.call.function.removesuffix("().verify"), called.end[0])
        for called in source.called
        if called.call.function.endswith("().verify")
    }
    for called in source.called:
        call, (line, column) = called.call, called.end
        if call.name in words:
            yield Site(
                name=call.function,
                names=(plain_name(call.function),),
                line=line,
                column=column,
                call=call,
                in_tests=bool(called.apart),
                verifies=(call.function, line) in verified,
            )
    for given in (*source.assigned, *source.stored):
        if given.name in words and not given.local:
            call = Call(function="", arguments=(given.value,), keywords={}, line=given.line)
            yield Site(
                name=given.name,
                names=(given.name,),
                line=given.line,
                call=call,
                assigns=True,
                in_tests=bool(given.apart),
            )
    for each in source.classes.values():
        for base in each.bases:
            if last_word(dotted(base)) in words:  # A class is a call of its base.
                name = f"class {dotted(base)}"
                keywords = {
                    attribute: replace(assigned[-1].value, line=assigned[-1].line)
                    for attribute, assigned in each.attributes.items()
                    if assigned
                }
                call = Call(function=name, arguments=(), keywords=keywords, line=each.line)
                yield Site(
                    name=name,
                    names=(name,),
                    line=each.line,
                    call=call,
                    is_whole=True,
                    in_tests=bool(each.apart),
                )


def _settings(
    site: Site,
    rules: Sequence[Rule],
    others: Mapping[str, list[Data]],
    versions: Mapping[str, str],
) -> Iterator[Setting]:
    for rule in rules:
        patterns = rule.assigns if site.assigns else rule.calls
        if any(map(site.is_named, patterns)):
            setting = Reading(site, rule, others, versions).setting()
            if setting is not None:
                yield setting
