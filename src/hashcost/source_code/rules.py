"""The rules of each language: a TOML file of ``data/`` each, read here."""

import datetime as dt
import re
from collections.abc import Callable, Collection, Mapping
from fnmatch import fnmatchcase
from functools import cache
from typing import Any, Final, Literal, NamedTuple

import msgspec

from hashcost.core.package_data import data_names, data_table, spelt_out

_DATA: Final = "source_code/data"
LANGUAGES: Final = data_names(_DATA)
"""The names of the files in ``data/``."""

_WORDS: Final = re.compile(r"\w+")
_PART: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
"""A word of a name whose words begin with capitals, or that has signs between them."""
_VERSION: Final = "0123456789."
"""Characters of the version behind the name of a program: ``python3.12``."""


PROMISES_ALL: Final = "promisifyAll("
"""The function of bluebird that gives a package functions whose names end in ``Async``."""


def words_of(text: str) -> frozenset[str]:
    """List the words of a text, each once, and those of the functions that return promises."""
    words = frozenset(_WORDS.findall(text))
    if PROMISES_ALL in text:
        words |= {word.removesuffix("Async") for word in words}
    return words


def last_word(name: str) -> str:
    """Take the last word of a dotted name."""
    words = _WORDS.findall(name)
    if not words:
        return ""
    return str(words[-1])


def name_words(name: str) -> list[str]:
    """List the words of a name in lower case, as any style writes it: ``isTest``, ``is_test``."""
    return [word.lower() for word in _PART.findall(name)]


class _RuleData(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of the data."""


class ArgumentPlace(_RuleData, frozen=True, kw_only=True):
    """The place of an argument: ``names`` are those of a named one, or of an option."""

    at: tuple[int, ...] = ()
    names: tuple[str, ...] = ()


class Param(ArgumentPlace, frozen=True, kw_only=True):
    """The place of one param of a cost; the first place that holds a number counts.

    ``default`` counts where it is left out, and with ``none`` for nothing given in so many
    words. ``salts`` says that a salt made elsewhere may be there.
    """

    unit: Literal["count", "log2", "bytes", "exponent"] = "count"
    default: int | None = None
    salts: bool = False
    none: bool = False


class Which(ArgumentPlace, frozen=True, kw_only=True):
    """An argument that is a word, and what its values mean.

    Functions of one name may have it at several places: the one that holds one of ``values``
    tells which place counts of all that the rule lists. With ``near`` it is the argument of
    another call in the file, with ``generic`` it is in the angle brackets of the call's own name.
    What begins with ``encrypts`` makes a key, and hashes no password.
    """

    values: dict[str, str]
    encrypts: str = ""
    default: str | None = None
    near: str | None = None
    generic: bool = False


class When(ArgumentPlace, frozen=True, kw_only=True):
    """An argument that has to be one of these words.

    With ``only`` a call with another word hashes no password.
    """

    values: tuple[str, ...]
    only: bool = False


class Text(ArgumentPlace, frozen=True, kw_only=True):
    """An argument that is a text with the cost in it, as the groups of ``pattern`` name params.

    ``which`` names the algorithm. With ``only`` a call with another
    text, such as the hash that a password is compared with, hashes no password anew. ``default``
    counts where it is left out. ``mark`` is how a salt with a cost begins. With ``maker``, a call
    with a row of its own makes the salts, so that only one that a setting gives is unknown.
    """

    pattern: str
    mark: str = ""
    base: int = 10
    default: str | None = None
    only: bool = False
    maker: bool = False


class HashLength(ArgumentPlace, frozen=True, kw_only=True):
    """The length of a hash; of hexadecimal digits two are a byte, unless ``raw`` is true."""

    unit: Literal["bytes", "bits", "hex"] = "bytes"
    raw: ArgumentPlace | None = None


class Release(_RuleData, frozen=True, kw_only=True):
    """The defaults in releases of a package ``below`` one, where a lock file tells which it is.

    People know it as ``called``, if not by the name in that file. ``otherwise`` stands for that of
    the rule.
    """

    package: str
    called: str = ""
    below: str = ""
    since: str = ""
    params: dict[str, int] = {}
    hasher: str | None = None
    text: str | None = None
    otherwise: str | None = None


class Clamp(_RuleData, frozen=True, kw_only=True):
    """A cost ``below`` some value ``becomes`` another in a library."""

    below: int
    becomes: int
    why: str


class Rule(_RuleData, frozen=True, kw_only=True):
    """A call or an assignment that sets a cost; ``example`` finds the cost ``finds``.

    A longer name may end in one of ``calls`` or ``assigns``, unless that begins with ``^``.
    One of ``needs`` has to be in the file, and none of ``without``. In ``params`` a number is
    short for a position, and a text for a name. ``arity`` lists how many arguments it may
    have, and ``given`` what the first may be or be made by, as its import has it. A call that
    is ``typed`` has to have type arguments. A map of
    options may be at ``options``, or within one under the key ``inside``;
    with ``gathers``, later calls and assignments of the object count as options.
    ``releases`` replace defaults, by the installed version, and ``why`` explains them; a name
    stands for a list that the file has in ``[releases]``.
    ``otherwise`` says what may set others, wherever they are from; the first ``clamp`` above a
    cost replaces it. ``decides`` says what does if the call gives nothing. A rule that ``sets`` a
    setting of the whole project takes the place of the defaults in rules that name it in
    ``follows``, and what it ``replaces`` is a setting of the project that then decides nothing;
    what it ``ignores`` is one that decides nothing unless other calls follow it.
    Where a call of the name ``first_in`` lists several, only the first makes new
    hashes. ``output`` is the length of the hash, and ``memory_limit`` the bytes above which
    scrypt's call fails. Where a class of the project implements the interface ``replaced_by``,
    that hashes instead; where a rule ``gathers``, so does a later call of the object that is one
    of ``unless``. Without an argument that is ``hashed``, or with false for it, a call hashes no
    password. Where the project has a function of its own by a name in ``own``, which does not call
    that of a base, no rule is about these. What is ``unfit`` is this instead of a password
    hash. With ``each``, there is a rule for each set of words, which appear in it as ``<word>``.
    """

    library: str
    params: dict[str, Param] = {}
    source: str
    example: str
    finds: str
    calls: tuple[str, ...] = ()
    assigns: tuple[str, ...] = ()
    arity: tuple[int, ...] = ()
    given: tuple[str, ...] = ()
    typed: bool = False
    hasher: str | None = None
    which: Which | None = None
    when: When | None = None
    needs: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    options: tuple[int, ...] = ()
    inside: str = ""
    gathers: bool = False
    text: Text | None = None
    releases: tuple[Release, ...] = ()
    clamp: tuple[Clamp, ...] = ()
    why: str = ""
    otherwise: str = ""
    decides: str = ""
    sets: str = ""
    follows: tuple[str, ...] = ()
    replaces: str = ""
    ignores: str = ""
    first_in: str = ""
    output: HashLength | None = None
    unfit: str = ""
    memory_limit: Param | None = None
    replaced_by: str = ""
    unless: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    hashed: ArgumentPlace | None = None

    @property
    def packages(self) -> frozenset[str]:
        """The packages whose releases tell the defaults."""
        return frozenset(release.package for release in self.releases)

    @property
    def has_bare_names(self) -> bool:
        """Whether it may be about a name that no file imports from one of the packages."""
        return bool(self.releases) and any(map(self.is_bare, (*self.calls, *self.assigns)))

    def is_bare(self, name: str) -> bool:
        """Tell whether a name of the rule is that of a setting or a helper, in no package."""
        is_whole = name in self.assigns or name.startswith("^")
        return is_whole and not any(f"{package}." in name for package in self.packages)

    def fits(self, text: str, words: Collection[str]) -> bool:
        """Tell whether a text with these words may have calls that it is about."""
        # Another rule is about the calls of a file with these words.
        if any(word in text for word in self.without):
            return False
        if self.needs and not any(word in text for word in self.needs):
            return False
        return any(last_word(name) in words for name in (*self.calls, *self.assigns))


class Grammar(_RuleData, frozen=True, kw_only=True):
    """The kinds of node that matter, as the language's tree-sitter grammar names them.

    ``unfollowed`` nodes, such as loops and patterns, give a name a value that is not followed.
    ``fields`` are pairs that give an object its fields, where it has no other way to get them, and
    ``sets`` give one another value later. ``records`` declare types whose values may be listed in
    the order of their fields, and ``tagged`` are declarations that may have a default in a tag, an
    annotation or an attribute; entries of ``schemas`` may have one in the call that describes
    them. ``exports`` are statements that may say what the file is to who imports it whole, and
    ``renames`` may export something by another name. ``bare`` are names that call a function
    without arguments, as a statement, and ``functions`` what defines one. ``types`` are
    declarations of classes, whose fields a library may fill from the configuration. ``lists`` are
    values that are written one after another. Where the last expression of a function is its
    result, ``results`` may have it as their last part.
    """

    arguments: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    assignments: tuple[str, ...] = ()
    definitions: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    unfollowed: tuple[str, ...] = ()
    maps: tuple[str, ...] = ()
    pairs: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()
    records: tuple[str, ...] = ()
    tagged: tuple[str, ...] = ()
    schemas: tuple[str, ...] = ()
    exports: tuple[str, ...] = ()
    renames: tuple[str, ...] = ()
    bare: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    results: tuple[str, ...] = ()


class Versioned(_RuleData, frozen=True, kw_only=True):
    """A constant of a package, by the release since which it has each value."""

    package: str
    since: dict[str, int]


class Dialect(_RuleData, frozen=True, kw_only=True):
    """Names that mean something to the evaluator, dotted whatever the language writes.

    ``environment`` holds variables of the environment by name, ``reads`` are functions of
    such a name and a default, ``settings`` of an application, a name and a default.
    What is ``configured`` is a dotted name, which begins with that of a file of ``config/``, or
    of what a function in ``registers`` is given, with a function that returns it.
    Functions in ``sets_default`` give a setting its default by name, those in ``asks`` read it.
    ``functions`` give what they are given first, as a number if it is a text of digits, and
    ``methods`` what they are called on; ``encodings`` write that as bytes. ``otherwise`` are
    methods that give their argument if there is nothing to be called on. ``powers`` take a base
    and an exponent, ``largest`` and ``smallest`` numbers of which they give one, and ``clamps`` a
    number with the least and the most that it may be. ``raises`` and ``lowers`` are methods of a
    number that do as the former two. ``formats`` fill the places of a text, as printf
    does.
    ``merges`` put maps into one, in which the last counts.
    ``constants`` are those of libraries, ``versioned`` those that differ between releases; they
    begin with the usual name of a library, which ``packages`` give by the name of each package.
    No program can define a name that is ``fixed``, though it may try to for an older release.
    """

    environment: frozenset[str] = frozenset()
    reads: frozenset[str] = frozenset()
    functions: frozenset[str] = frozenset()
    methods: frozenset[str] = frozenset()
    encodings: frozenset[str] = frozenset()
    otherwise: frozenset[str] = frozenset()
    powers: frozenset[str] = frozenset()
    largest: frozenset[str] = frozenset()
    smallest: frozenset[str] = frozenset()
    clamps: frozenset[str] = frozenset()
    raises: frozenset[str] = frozenset()
    lowers: frozenset[str] = frozenset()
    formats: frozenset[str] = frozenset()
    merges: frozenset[str] = frozenset()
    settings: frozenset[str] = frozenset()
    configured: frozenset[str] = frozenset()
    registers: frozenset[str] = frozenset()
    sets_default: frozenset[str] = frozenset()
    asks: frozenset[str] = frozenset()
    constants: dict[str, int] = {}
    packages: dict[str, str] = {}
    versioned: dict[str, Versioned] = {}
    fixed: frozenset[str] = frozenset()


class Language(_RuleData, frozen=True, kw_only=True):
    """The rules for the files of one language, and its grammar.

    ``grammars`` are the ends of file names with the grammar of each. ``interpreters`` are programs
    that run a script, as its first line names them without a version. A file sets no cost without
    a word that begins like one of ``anchors``, which are in lower case. ``digests`` are functions,
    in lower case, that take what is digested, besides those that are called like a digest, and
    ``hashes`` are methods by which an object makes a hash of what they are given first.
    ``checked`` is the day on which the sources of all its rules were read. ``imports`` are regular
    expressions for `project.imports_in`, and what ``shared`` files of the project import is
    imported everywhere; ``modules`` are named by their paths, by dotted names, or share all names
    of a folder. With ``bare_fields``, a field is read without the name of its object.
    A call of a function that ``makes`` what it is asked for constructs the last type in its angle
    brackets. ``manifests`` are names of the files that list the packages of a project.
    """

    language: str
    checked: dt.date
    grammars: dict[str, str]
    interpreters: tuple[str, ...] = ()
    tests: tuple[str, ...]
    grammar: Grammar = Grammar()
    anchors: tuple[str, ...] = ()
    digests: tuple[str, ...] = ()
    hashes: tuple[str, ...] = ()
    dialect: Dialect = Dialect()
    rule: tuple[Rule, ...] = ()
    imports: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    modules: Literal["paths", "names", "folders"] = "names"
    bare_fields: bool = False
    makes: tuple[str, ...] = ()
    manifests: tuple[str, ...] = ()
    extends: str | None = None

    def __reduce__(self) -> tuple[Callable[[str], "Language"], tuple[str]]:
        """Pass it to another process by its name: it goes with each of thousands of files."""
        return load_language, (self.language,)

    def may_hold(self, content: bytes) -> bool:
        """Tell by a quick search whether a file can hold a cost."""
        lowered = content.lower()
        return any(_has_word(content, lowered, anchor.encode()) for anchor in self.anchors)

    def is_test(self, name: str) -> bool:
        """Tell whether a file of this name holds tests."""
        return any(fnmatchcase(name, pattern) for pattern in self.tests)


def _has_word(content: bytes, lowered: bytes, anchor: bytes) -> bool:
    """Tell whether a word of a text begins like an anchor, as people write names.

    ``useScrypt`` and ``use_scrypt`` have the word scrypt, and ``msCrypto`` does not.
    """
    at = lowered.find(anchor)
    while at >= 0:
        # At the start of the text, nothing is before it.
        before = content[max(0, at - 1) : at]
        goes_on = before.islower() and content[at : at + 1].islower()
        if not goes_on:
            return True
        at = lowered.find(anchor, at + 1)
    return False


@cache
def load_language(name: str) -> Language:
    """Load one language with its rules, including the rules that it shares with another."""
    # A table may stand for several rules that differ in some words.
    data = data_table(f"{_DATA}/{name}.toml")
    releases = data.pop("releases", {})
    data["rule"] = [rule for table in data.get("rule", ()) for rule in _rules_in(table, releases)]
    language = msgspec.convert(data, Language)
    if language.extends is None:
        return language
    shared = load_language(language.extends)
    return msgspec.structs.replace(
        language,
        anchors=(*shared.anchors, *language.anchors),
        digests=(*shared.digests, *language.digests),
        hashes=(*shared.hashes, *language.hashes),
        dialect=shared.dialect,
        rule=(*shared.rule, *language.rule),
        imports=language.imports or shared.imports,
        modules=shared.modules,
        manifests=shared.manifests,
    )


def _rules_in(table: dict[str, Any], releases: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Make a rule for each set of words that it lists, and write short params in full.

    Several rules may name one list of ``releases``.
    """
    rules = spelt_out(table)
    for rule in rules:
        named = rule.get("releases")
        if isinstance(named, str):
            rule["releases"] = releases[named]
        for name, place in rule.get("params", {}).items():
            if isinstance(place, str):
                rule["params"][name] = {"names": [place]}
            elif isinstance(place, int):
                rule["params"][name] = {"at": [place]}
    return rules


@cache
def by_suffix() -> Mapping[str, tuple[Language, str]]:
    """List the language and the grammar of each end of a file name."""
    ends = {}
    for name in LANGUAGES:
        language = load_language(name)
        for suffix, grammar in language.grammars.items():
            ends[suffix] = (language, grammar)
    return ends


class Script(NamedTuple):
    """The language of a script, its grammar, and the usual end of a file name in it."""

    language: Language
    grammar: str
    suffix: str


def script_of(beginning: bytes) -> Script | None:
    """Tell by the first line of a file which language it is a script in.

    The line may name a path, ``env``, or a program that starts another:
    ``#!/usr/bin/env -S bundle exec ruby``.
    """
    if not beginning.startswith(b"#!"):
        return None
    line = beginning[2:].partition(b"\n")[0].decode(errors="replace")
    for word in line.split():
        program = word.rpartition("/")[2]
        named = _by_interpreter().get(program.rstrip(_VERSION))
        if named is not None:
            return named
    return None


@cache
def _by_interpreter() -> Mapping[str, Script]:
    """List the language of each program that runs scripts."""
    scripts = {}
    for name in LANGUAGES:
        language = load_language(name)
        for program in language.interpreters:
            suffix, grammar = next(iter(language.grammars.items()))
            scripts[program] = Script(language, grammar, suffix)
    return scripts
