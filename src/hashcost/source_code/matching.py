"""Find the costs that one source file sets, by the rules of its language."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby, islice
from pathlib import Path, PurePath
from typing import Final

from hashcost.core.errors import UnreadableInputError, UnreadError
from hashcost.core.waiver_comments import NO_COMMENTS, Comments
from hashcost.source_code.files import content_of
from hashcost.source_code.parsed_file import ParsedFile
from hashcost.source_code.project import Module, Project, plain_name
from hashcost.source_code.python import PythonFile, read_python
from hashcost.source_code.reading import Reading, SetCost, Setting, Site, text_of, unadorned
from hashcost.source_code.rules import Language, by_suffix, last_word, load_language
from hashcost.source_code.values import Data
from hashcost.source_code.versions import is_above, pins_beside
from hashcost.storage.gate import Gate

_MOST_SITES: Final = 1000
"""Each takes a search from the top of the file, and may make a row of the result."""


@dataclass(frozen=True, kw_only=True)
class Matches:
    """The costs of one file and the waivers in its comments, in its order."""

    costs: tuple[SetCost, ...] = ()
    unknown: tuple[Setting, ...] = ()
    comments: Comments = NO_COMMENTS


def found_in(
    text: str,
    language: str,
    grammar: str | None = None,
    path: str = "",
    project: Project | None = None,
) -> Matches:
    """Find every cost in a source text, by the rules of a language of `rules.LANGUAGES`.

    With its path, what other files of its project define counts too. Python is read as the
    readers of applications read it.

    Raises:
        UnavailableError: the grammars are not installed.
        UnreadableInputError: it is not Python as this Python knows it, it is nested too deeply,
            or thousands of calls are on one line or have names of hashing ones.
        UnreadError: a file that pins versions cannot be read.
    """
    rules = [rule for rule in load_language(language).rule if rule.fits(text)]
    if not rules:
        return Matches()
    near = {rule.which.near for rule in rules if rule.which and rule.which.near}
    names = {name for rule in rules for name in (*rule.calls, *rule.assigns)}
    words = frozenset(map(last_word, names | near))
    gather = frozenset(last_word(name) for rule in rules if rule.gathers for name in rule.calls)
    if project is not None:
        project.missed.clear()
    try:
        file = _parsed(text, load_language(language), grammar, path, project)
        sites = sorted(islice(file.sites(words, gather), _MOST_SITES + 1), key=_place)
    except RecursionError:
        raise UnreadableInputError("it is nested too deeply to be read") from None
    if len(sites) > _MOST_SITES:
        raise UnreadableInputError(f"more than {_MOST_SITES:,} calls have names of hashing ones")
    if not sites:
        return Matches()
    others = {name: _first_arguments(name, sites) for name in near}
    pins = {} if project is None else pins_beside(path, project.gate)
    decided = {name for rule in rules for name in rule.follows if is_above(name, path)}
    makers = frozenset(plain_name(name) for rule in rules for name in rule.calls)
    costs: list[SetCost] = []
    unknown: list[Setting] = []
    for _, group in groupby(sites, key=_place):
        at_place: dict[tuple[int, str, str], SetCost] = {}
        unresolved: list[Setting] = []
        for site in group:
            hashers: dict[str, SetCost] = {}
            settings = (
                Reading(
                    site, rule, others, pins if decided.isdisjoint(rule.follows) else {}, makers
                ).setting()
                for rule in rules
                if any(map(site.is_named, rule.assigns if site.assigns else rule.calls))
            )
            for setting in (*settings, *_of_unknown_package(site, makers)):
                if isinstance(setting, SetCost):
                    hashers.setdefault(setting.hasher, setting)
                elif setting is not None:
                    unresolved.append(setting)
            for cost in hashers.values():
                at_place.setdefault((cost.line, cost.hasher, str(cost.params)), cost)
        costs += at_place.values()
        unknown += () if at_place else unresolved[:1]
    if project is not None and project.missed:
        unknown = [_unread(setting, project.missed) for setting in unknown]
    return Matches(costs=tuple(costs), unknown=tuple(unknown))


def _first_arguments(name: str, sites: Sequence[Site]) -> dict[str, Data]:
    """Find the first argument of each call of a name, by its text."""
    first = (
        site.call.arguments[0].data
        for site in sites
        if site.is_named(name) and site.call.arguments
    )
    return {text_of(data): data for data in first}


def _unread(setting: Setting, missed: Mapping[str, UnreadError]) -> Setting:
    """Say of an unknown cost which file may hold it and could not be read."""
    path, error = next(iter(missed.items()))
    why = f"{setting.why}; {PurePath(path).name} may set it, and is not read: {error}"
    return replace(setting, why=why, unread=error.reason)


def _of_unknown_package(site: Site, makers: frozenset[str]) -> Iterator[Setting]:
    """List a call that is written as a known one, of a package that is not known."""
    written = plain_name(unadorned(site.name))
    if "." not in written or written not in makers or site.verifies:
        return
    if not any(map(site.is_named, makers)):
        why = f"hashcost does not know its package, {site.names[0].rpartition('.')[0]}"
        yield Setting(line=site.line, call=written, why=why)


def _place(site: Site) -> tuple[int, int]:
    return site.line, site.column


def _parsed(
    text: str, language: Language, grammar: str | None, path: str, project: Project | None
) -> PythonFile | ParsedFile:
    if language.language == "python":
        return read_python(text, path, project)
    return ParsedFile(
        text, language, grammar or next(iter(language.grammars.values())), path, project
    )


def project_of(paths: Sequence[str], gate: Gate) -> Project:
    """Open the files of a project, to look names up in them."""
    return Project(paths, _text, _opened, gate)


@lru_cache(maxsize=64)
def _text(path: str) -> str:
    return content_of(Path(path)).decode("utf-8-sig", errors="replace")


def _opened(path: str, text: str, project: Project) -> Module:
    language, grammar = by_suffix()[Path(path).suffix.lower()]
    file = _parsed(text, language, grammar, path, None)
    file.project = project  # From now on: only the names that are asked for are followed.
    return file
