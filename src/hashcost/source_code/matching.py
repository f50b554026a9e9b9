"""Find the costs that one source file sets, by the rules of its language."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from operator import attrgetter
from pathlib import Path, PurePath
from typing import Final

from hashcost.core.errors import UnreadableInputError, UnreadError
from hashcost.core.waiver_comments import NO_COMMENTS, Comments
from hashcost.source_code.costs import SetCost, Setting
from hashcost.source_code.digests import FastDigest
from hashcost.source_code.files import content_of
from hashcost.source_code.names import unadorned
from hashcost.source_code.other_python import in_own_syntax
from hashcost.source_code.parsed.file import ParsedFile
from hashcost.source_code.project import Module, Project, plain_name
from hashcost.source_code.python.file import PythonFile, read_python
from hashcost.source_code.reading.arguments import text_of
from hashcost.source_code.reading.call import CallReading
from hashcost.source_code.rules import (
    Language,
    Rule,
    by_suffix,
    last_word,
    load_language,
    words_of,
)
from hashcost.source_code.sites import Site, names_of_rules
from hashcost.source_code.stored_hashes import StoredHash
from hashcost.source_code.values import Value
from hashcost.source_code.versions import Pin, is_above, manifest_without, pins_beside
from hashcost.storage.gate import Gate

_place = attrgetter("line", "column")
_SCRYPT_STEP: Final = re.compile(r"(?<![a-z])(?:ro|block|s)_?mix|salsa_?20_?8", re.IGNORECASE)
"""A step of scrypt, between two calls of PBKDF2 with one iteration each (RFC 7914, 6)."""
_ONCE: Final = {"iterations": 1}


@dataclass(frozen=True, kw_only=True)
class Matches:
    """The costs, digests of passwords, stored hashes and waivers of one file, in its order."""

    costs: tuple[SetCost, ...] = ()
    unknown: tuple[Setting, ...] = ()
    digests: tuple[FastDigest, ...] = ()
    stored: tuple[StoredHash, ...] = ()
    comments: Comments = NO_COMMENTS
    keys: tuple[Setting, ...] = ()
    """The calls that make a key for encryption, one a place."""
    of_no_password: tuple[Setting, ...] = ()
    """The calls that hash a random token, or only compare."""
    dummies: tuple[SetCost, ...] = ()
    """The costs of hashes that nobody has."""
    unread_language: str = ""
    """The language of a file that names a password hash, if no costs are found in it."""


def found_in(
    text: str,
    language: str,
    grammar: str | None = None,
    path: str = "",
    project: Project | None = None,
    pins: Mapping[str, Pin] | None = None,
) -> Matches:
    """Find every cost in a source text, by the rules of a language of `rules.LANGUAGES`.

    With its path, what other files of its project define counts too; without it, ``pins`` give
    the packages whose versions are known. Python is read as the readers of applications read it;
    in a project, it may be of any release.

    Raises:
        UnavailableError: the grammars are not installed.
        UnreadableInputError: it is not known as Python, it is nested too deeply,
            or thousands of calls are on one line.
        UnreadError: a file that pins versions cannot be read.
    """
    # Parsing takes the most time: few files have the words of a rule.
    words = words_of(text)
    rules = [rule for rule in load_language(language).rule if rule.fits(text, words)]
    if not rules:
        return Matches()
    if project is not None:
        project.missed.clear()
    sites = _sites(text, load_language(language), grammar, path, project, rules)
    if not sites:
        return Matches()
    if project is not None:
        pins = pins_beside(path, project.gate)
    manifests = load_language(language).manifests
    rows = _Rows(rules, sites, path, project, pins or {}, manifests)
    rows.are_of_scrypt = _SCRYPT_STEP.search(text) is not None
    costs: list[SetCost] = []
    unknown = []
    for _, at_place in groupby(sites, key=_place):
        costs_there, unresolved = rows.at_place(at_place)
        costs += costs_there
        # One row says of a place that its cost is unknown, or that it has none.
        if not costs_there:
            # Of several rules, the one that knows the algorithm says the most.
            unresolved.sort(key=lambda row: (row.is_unfit, bool(row.hasher)), reverse=True)
            unknown += unresolved[:1]
    if project is not None and project.missed:
        unknown = [_unread(setting, project.missed) for setting in unknown]
    derivations = [*costs, *unknown, *rows.keys]
    costs = [cost for cost in costs if not _is_step(cost, derivations)]
    return Matches(
        costs=tuple(cost for cost in costs if not cost.is_dummy),
        unknown=tuple(unknown),
        keys=tuple(rows.keys),
        of_no_password=tuple(rows.of_no_password),
        dummies=tuple(cost for cost in costs if cost.is_dummy),
    )


def _sites(
    text: str,
    language: Language,
    grammar: str | None,
    path: str,
    project: Project | None,
    rules: Sequence[Rule],
) -> list[Site]:
    """Find the calls and assignments that a rule may be about, in the order of the file."""
    try:
        file = _parsed(text, language, grammar, path, project)
        return sorted(file.sites(names_of_rules(rules)), key=_place)
    except RecursionError:
        raise UnreadableInputError("it is nested too deeply to be read") from None


class _Rows:
    """The rows of one file, by the rules that may be about it."""

    def __init__(
        self,
        rules: Sequence[Rule],
        sites: Sequence[Site],
        path: str,
        project: Project | None,
        pins: Mapping[str, Pin],
        manifests: Sequence[str],
    ) -> None:
        self._rules = rules
        self._makers = frozenset(plain_name(name) for rule in rules for name in rule.calls)
        self._pins = pins
        self._project = project
        self._path = path
        self.keys: list[Setting] = []
        self.are_of_scrypt = False
        """Whether the file computes scrypt itself."""
        self.of_no_password: list[Setting] = []
        self._near: dict[str, Mapping[str, Value]] = {}
        self._decided: set[str] = set()
        """The files of settings that the project has: their rows tell the defaults."""
        self._replaced: dict[str, str] = {}
        self._without: dict[frozenset[str], str] = {}
        """The manifests that name none of the packages of a rule, by these."""
        for rule in rules:
            is_pinned = not rule.packages.isdisjoint(self._pins)
            if project is not None and rule.has_bare_names and not is_pinned:
                self._without[rule.packages] = manifest_without(
                    rule.packages, path, project.gate, manifests
                )
            if rule.replaced_by and project is not None:
                self._replaced[rule.replaced_by] = project.implementing(rule.replaced_by, path)
            if rule.which is not None and rule.which.near:
                self._near[rule.which.near] = _first_arguments(rule.which.near, sites)
            self._decided.update(name for name in rule.follows if is_above(name, path))

    def at_place(self, sites: Iterable[Site]) -> tuple[list[SetCost], list[Setting]]:
        """Read the costs at one place, each once, and the settings whose costs are unknown."""
        costs: dict[tuple[int, str, str], SetCost] = {}
        unresolved = []
        keys = []
        for site in sites:
            # Rules of several libraries may be about one call; the first of a hasher counts.
            hashers: dict[str, SetCost] = {}
            for setting in self._settings(site):
                if setting is None:
                    continue
                if setting.is_key:
                    keys.append(setting)
                elif setting.is_of_no_password:
                    self.of_no_password.append(setting)
                elif isinstance(setting, SetCost):
                    if self.are_of_scrypt and setting.params == _ONCE:
                        continue
                    hashers.setdefault(setting.hasher, setting)
                # A cost that nobody waits for, and that is not told, is none to judge.
                elif not setting.is_dummy:
                    unresolved.append(setting)
            for cost in hashers.values():
                costs.setdefault((cost.line, cost.hasher, str(cost.params)), cost)
        # Of several rules, one that knows the cost says the most.
        keys.sort(key=lambda setting: isinstance(setting, SetCost), reverse=True)
        self.keys += keys[:1]
        return list(costs.values()), unresolved

    def _settings(self, site: Site) -> Iterator[Setting | None]:
        for rule in self._rules:
            names = rule.calls
            if site.assigns:
                names = rule.assigns
            if last_word(site.name) in rule.own and self._is_own(last_word(site.name)):
                continue
            if not any(map(site.is_named, names)):
                continue
            if site.own_takes is not None:
                yield _of_own_class(site, rule, site.own_takes)
            else:
                yield CallReading(
                    site,
                    rule,
                    self._near,
                    self._pins,
                    self._makers,
                    self._replaced,
                    is_decided=not self._decided.isdisjoint(rule.follows),
                    without=self._without.get(rule.packages, ""),
                ).setting()
        yield self._of_unknown_package(site)

    def _is_own(self, function: str) -> bool:
        """Tell whether the project has a function of a name that is also a library's."""
        return self._project is not None and self._project.has_own(function, self._path)

    def _of_unknown_package(self, site: Site) -> Setting | None:
        """List a call that is written as a known one, of a package that is not known."""
        written = plain_name(unadorned(site.name))
        # A bare name, such as ``hash``, is of anything.
        if "." not in written or written not in self._makers:
            return None
        if site.makes_no_hash or site.makes_key or site.makes_dummy:
            return None
        if any(map(site.is_named, self._makers)):
            return None
        why = f"hashcost does not know its package, {site.names[0].rpartition('.')[0]}"
        return Setting(line=site.line, call=written, why=why)


def _is_step(cost: SetCost, derivations: Sequence[Setting]) -> bool:
    """Tell whether one iteration may only follow a derivation that the same file makes."""
    if not cost.may_be_step:
        return False
    for other in derivations:
        is_once = isinstance(other, SetCost) and other.params == _ONCE
        if other.hasher == cost.hasher and not is_once:
            return True
    return False


def _of_own_class(site: Site, rule: Rule, takes: frozenset[str]) -> Setting | None:
    """List a call of a class of the file that has a library's name, if it takes a cost."""
    if site.makes_no_hash or site.makes_key or site.makes_dummy:
        return None
    if takes.isdisjoint(rule.params):
        return None
    name = unadorned(site.name)
    why = f"{name} is a class of this file"
    return Setting(line=site.line, call=name, why=why, in_tests=site.in_tests)


def _first_arguments(name: str, sites: Sequence[Site]) -> dict[str, Value]:
    """Find the first argument of each call of a name, by its text."""
    arguments = {}
    for site in sites:
        if site.is_named(name) and site.call.arguments:
            first = site.call.arguments[0]
            arguments[text_of(first.data)] = first
    return arguments


def _unread(setting: Setting, missed: Mapping[str, UnreadError]) -> Setting:
    """Say of an unknown cost which file may hold it and could not be read."""
    if setting.is_unfit:  # Its row says what the call makes, and lacks no cost.
        return setting
    path, error = next(iter(missed.items()))
    why = f"{setting.why}; {PurePath(path).name} may set it, and is not read: {error}"
    return replace(setting, why=why, unread=error.reason)


def _parsed(
    text: str, language: Language, grammar: str | None, path: str, project: Project | None
) -> PythonFile | ParsedFile:
    if language.language == "python":
        return _python(text, path, project, for_names=False)
    if grammar is None:
        grammar = next(iter(language.grammars.values()))
    return ParsedFile(text, language, grammar, path, project)


def _python(text: str, path: str, project: Project | None, *, for_names: bool) -> PythonFile:
    try:
        return read_python(text, path, project, for_names=for_names)
    except UnreadableInputError as error:
        # Files of a project are read in a child process, whose time ends. The grammar may take
        # long over a broken text.
        if not (project or for_names):
            raise
        own = in_own_syntax(text)
        try:
            return read_python(own, path, project, for_names=for_names)
        except UnreadableInputError:
            raise error from None  # Its line and reason are those of the file.


def project_of(
    paths: Sequence[str], gate: Gate, marks: Mapping[str, bytes] | None = None
) -> Project:
    """Open the files of a project, to look names up in them; marks of their words save time."""
    return Project(paths, _text, _opened, gate, marks or {})


@lru_cache(maxsize=64)
def _text(path: str) -> str:
    return content_of(Path(path)).decode("utf-8-sig", errors="replace")


def _opened(path: str, text: str, project: Project) -> Module:
    language, grammar = by_suffix()[Path(path).suffix.lower()]
    file: PythonFile | ParsedFile
    if language.language == "python":
        file = _python(text, path, None, for_names=True)
    else:
        file = _parsed(text, language, grammar, path, None)
    file.project = project  # From now on: only the names that are asked for are followed.
    return file
