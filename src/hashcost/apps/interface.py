"""The facts of an application by which its cost is read, judged and written.

Each application is a TOML file in ``data/``, which ``registry.py`` loads into these
values; ``data/vaultwarden.toml`` is a short example.
"""

from __future__ import annotations

import datetime as dt
import enum
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from typing import Any, Final, Literal, NamedTuple, TypeAlias, cast

import msgspec

from hashcost.apps.containers import own_services
from hashcost.apps.refusals import RULES
from hashcost.apps.templates import without_template
from hashcost.core.algorithms import MAXMEM, MemoryLimit, guess_memory, guess_work, scrypt_bytes
from hashcost.core.errors import UndeterminedError, UnreadableInputError
from hashcost.core.measurement import Params
from hashcost.core.text import joined, printable
from hashcost.core.units import format_setting, parse_release


class Facts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table of an application's file. A key that it does not know is a mistake."""


class SourcedFigure(Facts, frozen=True, kw_only=True):
    """A fact that a user acts on, with its source and the day that it was last checked.

    If an application's file gives neither, a fact has those of the application.
    """

    source: str = ""
    checked: dt.date | None = None


class Limits(SourcedFigure, frozen=True, kw_only=True):
    """The range that an application accepts of one param, in the hasher's own terms.

    ``clamped`` names the side of the range on which it takes the nearest value instead. The
    minimum is for one of the param ``times``, if that is given.
    ``beyond``, or ``above`` for the maximum, describes the consequence of a value outside. If
    ``allowed`` is not empty, it takes only these, and otherwise multiples of ``step``. If not
    ``enforced``, it takes other values, but its peers refuse them. The limits do not apply if a
    line of the files matches ``unless``.
    """

    minimum: int
    maximum: int
    beyond: str = ""
    allowed: tuple[int, ...] = ()
    step: int = 1
    above: str = ""
    clamped: Literal["below", "above", "outside", ""] = ""
    enforced: bool = True
    unless: str = ""
    times: str = ""

    def beside(self, params: Params) -> Limits:
        """The limits if the other params are these."""
        if not self.times:
            return self
        return msgspec.structs.replace(self, minimum=self.minimum * params[self.times])

    @property
    def choices(self) -> str:
        """The only values allowed, in words; empty if everything in the range is."""
        # A long list of powers of two is told by its ends.
        if len(self.allowed) > 3 and all(count.bit_count() == 1 for count in self.allowed):
            return f"powers of two from {min(self.allowed)} to {max(self.allowed)}"
        return ", ".join(map(str, self.allowed))

    def consequence(self, value: int) -> tuple[str, bool]:
        """The consequence of a value outside, in words, and whether it makes the value useless."""
        words = self.beyond
        side = "below"
        if value > self.maximum:
            words = self.above or self.beyond
            side = "above"
        return words or "refused", self.clamped not in {"outside", side}

    def misfit(self, value: int) -> str:
        """Say how a value that is not accepted misses the limits."""
        if self.choices and self.minimum <= value <= self.maximum:
            return f"is not among {self.choices}"
        return "is out of range"

    def nearest(self, value: int) -> int:
        """The highest value that holds and is not above this one, or the lowest that holds."""
        legal = [count for count in self.allowed if self.minimum <= count <= self.maximum]
        if not legal:
            inside = min(max(value, self.minimum), self.maximum)
            # Down, so that a target is not exceeded.
            return inside - inside % self.step
        not_above = (count for count in legal if count <= value)
        return max(not_above, default=min(legal))


class ReleaseDefault(SourcedFigure, frozen=True, kw_only=True):
    """The default of an application from a release on.

    ``blocks`` is how many output blocks of PBKDF2 it computes, if not the scheme's.
    """

    since: str
    params: Params
    blocks: int | None = None


class FirstRelease(Facts, frozen=True, kw_only=True):
    """The first release that has the settings of a scheme.

    ``older`` is what to do in an older release instead, if its files may set the cost too; ``{}``
    stands for the cost. Then ``mark`` is an expression for what such a release does not read.
    Older lines of releases have the settings from one of ``backports`` on.
    If the settings are ``ignored`` before, their default counts there.
    """

    release: str
    source: str
    checked: dt.date
    older: str = ""
    mark: str = ""
    backports: tuple[str, ...] = ()
    ignored: bool = False


class OlderSnippet(SourcedFigure, frozen=True, kw_only=True):
    """The snippet for releases ``before`` one, if they read another syntax.

    ``says`` tells what differs, for readers whose release is unknown.
    """

    before: str
    says: str
    template: str = msgspec.field(name="write")


class MissingSetting(NamedTuple):
    """A release that is too old for the settings of a scheme."""

    program: str
    """The program that is too old, in words."""
    hasher: str
    since: FirstRelease
    others: tuple[Scheme, ...]
    """The schemes whose settings the release has."""
    default: Params
    """The release's cost without the settings; empty if it is unknown."""
    upgrade: str
    """The first supported release that has the settings."""

    def why(self, release: object) -> str:
        """Say what is missing in the release."""
        why = f"{self.program} {release} does not have this setting for {self.hasher}"
        if not self.default:
            return why
        return f"{why}, whose default there is {format_setting(self.default)}"

    def is_read_in(self, text: str) -> bool:
        """Tell whether the release reads what a file sets."""
        if not self.since.older:
            return False
        return re.search(self.since.mark, text, re.MULTILINE) is None

    def cure(self, cost: str, *others: str) -> str:
        """Name the release to upgrade to, and what else can be done."""
        cures = [f"upgrade to {self.upgrade}, which has a setting for it"]
        # The release may have another setting.
        if self.since.older:
            cures = [self.since.older.format(cost), f"upgrade to {self.upgrade}"]
        return ", or ".join([*cures, *others])


class Factor(SourcedFigure, frozen=True, kw_only=True):
    """The time of a library as a multiple of what is timed here, at the same cost.

    In CPU time on the same machine, which was of the vendor ``cpu`` if that is given.
    ``build`` names the build or release of the library where they differ.
    """

    factor: float
    cpu: Literal["amd", "intel", ""] = ""
    build: str = ""
    from_kib: int = 0
    """The least memory that it applies to, up to the next factor's."""
    measured: dt.date | None = None
    """The day on which both were timed."""

    @property
    def case(self) -> tuple[str, int]:
        """The build and the least memory that it is for, on any CPU."""
        return self.build, self.from_kib


class Unfit(SourcedFigure, frozen=True, kw_only=True):
    """An algorithm before a release that is not a password hash."""

    before: str
    hasher: str
    says: str
    unless: str = ""
    """An expression for a line that chooses another."""

    def is_so(self, app: App, text: str) -> bool:
        """Whether the application's release hashes with it, and the text of a file allows that."""
        # An unknown release is taken for one that is supported.
        if app.release is None or not app.is_before(self.before):
            return False
        return not (self.unless and re.search(self.unless, text))


class Overridden(Facts, frozen=True):
    """A setting that goes before the files of an application, unless these match ``unless``."""

    by: str
    unless: str = ""


class Every(Facts, frozen=True):
    """A hasher that every password is hashed with, unless a line matches an expression."""

    hasher: str
    unless: str


_IN_PYTHON: Final = {"libcrypt": "python:crypt", "hashlib": "python:hashlib"}
"""Libraries of this Python, by the name that they have in another Python."""


class Reference(SourcedFigure, frozen=True, kw_only=True):
    """The implementation that is timed here in place of the application's library.

    It has ``factors`` or a ``source`` unless the application runs this very
    implementation; `on` says which of the factors hold.
    """

    implementation: str
    factor: float = 1.0
    """The highest of ``factors``, if there are any, so that a target is not exceeded."""
    factors: tuple[Factor, ...] = ()
    keeps_memory: bool = False
    """Whether the library's process keeps the memory of a hash for the next, as a JVM does; the
    factors then compare it with hashes that are given no fresh pages either."""
    runs_in: tuple[str, ...] = ()
    """The application's own library as an implementation in its runtime, where it can be timed
    there, such as ``node:bcryptjs``."""

    @property
    def is_its_own(self) -> bool:
        """Whether the application runs this very implementation."""
        return not self.source

    @property
    def least_factor(self) -> float:
        """The lowest possible factor."""
        return min((factor.factor for factor in self.factors), default=self.factor)

    def on(self, cpu_model: str | None) -> Reference:
        """The reference with only the factors of one CPU; with all if the CPU is unknown."""
        vendor = vendor_of(cpu_model)
        timed = {factor.case for factor in self.factors if factor.cpu == vendor}
        # Another vendor's factor stands for what was not timed on this one.
        return self._with(
            factor
            for factor in self.factors
            if factor.cpu in {"", vendor} or factor.case not in timed
        )

    def at(self, memory_kib: float) -> Reference:
        """The reference with only the factors of hashes in this much memory."""
        least = max((step for step in self.steps if step <= memory_kib), default=0)
        return self._with(factor for factor in self.factors if factor.from_kib == least)

    @property
    def steps(self) -> tuple[int, ...]:
        """The amounts of memory, in KiB, from which on other factors hold; the highest first."""
        return tuple(sorted({factor.from_kib for factor in self.factors}, reverse=True))

    def _with(self, some: Iterable[Factor]) -> Reference:
        # What was timed elsewhere stands for what was not.
        factors = tuple(some) or self.factors
        if not factors:
            return self
        sources = []
        for row in factors:
            source = row.source
            if row.build:
                source = f"{row.build}: {source}"
            sources.append(source)
        # Of builds that differ, the slowest: a target is not exceeded.
        highest = max(row.factor for row in factors)
        return msgspec.structs.replace(
            self, factor=highest, source="; ".join(sources), factors=factors
        )


def vendor_of(cpu_model: str | None) -> str | None:
    """The vendor of a CPU, by its model's name; `None` if that does not show it."""
    model = (cpu_model or "").lower()
    for vendor in ("amd", "intel"):
        if vendor in model:
            return vendor
    return None


class Scheme(Facts, frozen=True, kw_only=True):
    """One algorithm that an application can use.

    ``keys`` names the setting of each param that can be configured, with its unit
    unless that is the hasher's own. ``blocks`` is how many output blocks of PBKDF2
    each hash computes, unless the file sets the length of the key.
    """

    hasher: str
    library: str
    """The library that the application hashes with, in words."""
    reference: Reference | None = None
    """`None` if no implementation here is close to it."""
    keys: dict[str, str]
    limits: dict[str, Limits]
    template: str = msgspec.field(name="write")
    """The snippet without its leading comment.

    ``<cost>`` stands for a param, ``<n as log2>`` for its logarithm, ``<memory_kib as MiB>`` for
    its mebibytes and ``<scrypt_bytes>`` for the memory that OpenSSL asks for. A line with
    ``<scrypt_bytes if above 1000>`` is left out unless the value is above that.
    """
    older: tuple[OlderSnippet, ...] = ()
    """Other snippets for old releases, from the oldest to the newest."""
    stored: str = ""
    """How it stores a hash: ``<rest>`` stands for the text behind the name of the algorithm.

    Empty if it is unknown, or too unlike the usual strings to write one.
    """
    defaults: tuple[ReleaseDefault, ...] = ()
    """From the oldest release to the newest; empty if it hashes only when configured."""
    blocks: int = 1
    client_side: bool = False
    """Whether the client computes the hash, so that its speed counts (SCRAM)."""
    note: str = ""
    since: FirstRelease | None = None
    """The first release that has the settings that it writes; `None` if none is known to lack
    them."""
    caution: str = ""
    """A warning for readers of the configuration: which releases ignore it, or do not start.

    With ``since`` it is for those that lack the settings."""
    rule: str | None = msgspec.field(default=None, name="refuses")
    """Which params it refuses together; see `hashcost.apps.refusals`."""

    @property
    def untimed(self) -> str:
        """Why its time is unknown; empty if an implementation here is close to it."""
        if self.reference is not None:
            return ""
        why = f"it hashes with {self.library}, and nothing here is similar enough to time"
        return joined(why, self.note)

    def on(self, cpu_model: str | None) -> Scheme:
        """The scheme with only its reference's factors of one CPU."""
        if self.reference is None:
            return self
        return msgspec.structs.replace(self, reference=self.reference.on(cpu_model))

    def run_by(self, labels: Collection[str]) -> Scheme:
        """The scheme by the application's own library, if one of these labels is that library.

        Otherwise by its reference, which may run here or in another Python.
        """
        reference = self.reference
        if reference is None:
            return self
        for name in reference.runs_in:
            if f"{self.hasher}@{name}" in labels:
                # Timed itself, it needs no factor.
                return msgspec.structs.replace(self, reference=Reference(implementation=name))
        is_here = f"{self.hasher}@{reference.implementation}" in labels
        elsewhere = _IN_PYTHON.get(reference.implementation)
        if is_here or elsewhere is None or f"{self.hasher}@{elsewhere}" not in labels:
            return self
        # It is the same library, so that the factors hold.
        same = msgspec.structs.replace(reference, implementation=elsewhere)
        return msgspec.structs.replace(self, reference=same)

    def at(self, params: Params) -> Scheme:
        """The scheme with only its reference's factors of these params."""
        memory = guess_memory(self.hasher, params)
        if self.reference is None or memory is None:
            return self
        return msgspec.structs.replace(self, reference=self.reference.at(memory / 1024))

    def memory_limit(self, text: str) -> MemoryLimit | None:
        """Find the setting beside the cost that bounds scrypt's memory in a file of this text.

        Returns:
            `None` if the application does not have one.
        """
        named = _MEMORY_LIMIT.search(self.template)
        if named is None:
            return None
        # The text allows what it states, or else what OpenSSL allows by default.
        stated = re.findall(rf"\b{named[1]}\s*[=:]\s*([0-9]{{1,18}})\b(?!\s*\*)", text)
        allows = min(map(int, stated), default=MAXMEM.allows)
        return MemoryLimit(name=named[1], allows=allows)

    def write(self, params: Params) -> str:
        """The text that configures a cost, without the comment at its head."""
        text = ""
        for line in self.template.splitlines(keepends=True):
            written = ""
            is_wanted = True
            end = 0
            for place in _PLACE.finditer(line):
                value = _value(place, params)
                if place["least"] and value <= int(place["least"]):
                    is_wanted = False
                written += f"{line[end : place.start()]}{value}"
                end = place.end()
            if is_wanted:
                text += written + line[end:]
        return text

    def refuses(self, params: Params) -> str:
        """Say why it refuses params that are each within their limits.

        Returns:
            An empty text if it takes them.
        """
        if self.rule is None:
            return ""
        return RULES[self.rule](params)


_MEMORY_LIMIT: Final = re.compile(r"\b(\w++)\s*+[=:]\s*+<scrypt_bytes\b")
_PLACE: Final = re.compile(
    r"<(?P<name>[a-z][a-z_]*)(?: as (?P<unit>\w+))?(?: if above (?P<least>[0-9]+))?>"
)


def _value(place: re.Match[str], params: Params) -> int:
    name = place["name"]
    if name == "scrypt_bytes":
        return scrypt_bytes(params)
    value = params[name]
    if place["unit"] == "log2":
        return value.bit_length() - 1
    if place["unit"] == "MiB":
        return value // 1024
    return value


class Flaw(enum.Enum):
    """Why a setting of a file is not judged by its cost."""

    UNKNOWN = "unknown"
    """The algorithm or the cost is unknown."""
    UNREAD = "unread"
    """A limit ended the reading before all of the file was read."""
    UNSUITABLE = "unsuitable"
    """The algorithm is not a password hash."""


@dataclass(frozen=True, kw_only=True)
class Found:
    """A cost that a file configures.

    ``params`` are those that the file sets; the rest is the application's default. ``line`` is
    where it stands, and ``lines`` where the number of a param does if that is another; those of
    ``also`` have it too. ``stored`` says that it is part of a hash.

    ``wins`` says whether it is the one that the application uses, ``apart`` whether something
    sets it apart from production, and ``why``, in words, what was decided or what the
    application makes of it. ``environment`` is the variable that may set it instead, and
    ``refused`` why the application does not take it. ``blocks`` is how many output blocks of
    PBKDF2 the length of the key makes, if the file sets that. ``library`` is what computes it, if
    that is not the scheme's and nothing here is similar enough to time.

    With a ``flaw`` there is no cost: ``hasher`` is what the file names, if anything, ``why`` says
    what is wrong, and ``cure`` what to do, if that is not the usual advice.
    """

    hasher: str
    params: Params
    line: int
    lines: Mapping[str, int] = field(default_factory=dict)
    also: tuple[int, ...] = ()
    stored: bool = False
    wins: bool = True
    apart: bool = False
    why: str = ""
    environment: str = ""
    refused: str = ""
    blocks: int | None = None
    library: str = ""
    flaw: Flaw | None = None
    cure: str = ""

    @classmethod
    def unfit(cls, named: str, line: int, why: str, cure: str = "") -> Found:
        """An algorithm that is not a password hash."""
        return cls(hasher=named, params={}, line=line, why=why, flaw=Flaw.UNSUITABLE, cure=cure)

    @classmethod
    def undetermined(cls, line: int, why: str, named: str = "", cure: str = "") -> Found:
        """A line that sets a cost which the file does not show."""
        return cls(hasher=named, params={}, line=line, why=why, flaw=Flaw.UNKNOWN, cure=cure)

    @classmethod
    def of_error(cls, error: UndeterminedError) -> Found:
        """A line that a reader could not make a cost of."""
        return cls.undetermined(error.line, error.what, error.named, error.cure)

    @classmethod
    def unread(cls, line: int, why: str) -> Found:
        """A line, or a whole file, that a limit kept from being read."""
        return cls(hasher="", params={}, line=line, why=why, flaw=Flaw.UNREAD)

    @property
    def is_undetermined(self) -> bool:
        """Whether the cost is not known."""
        return self.flaw in {Flaw.UNKNOWN, Flaw.UNREAD}

    def unless(self, apart: str) -> Found:
        """The cost; marked unused if something sets it apart from production."""
        if not apart:
            return self
        return replace(self, wins=False, why=apart, apart=True)


class Sign(Facts, frozen=True):
    """A regular expression to look for in each line, and what it says where it is found.

    ``hasher`` is what the line names, and ``params`` are its cost, if it has one. ``cure`` is what
    to do, if that is not the usual advice; with ``elsewhere`` another file sets the cost.
    ``always`` says that it counts although a cost was read on that line, ``unset`` that it counts
    only where the file sets none, and ``until`` from which release on it does not; an older line
    of releases has one of ``backports`` instead. With ``instead`` it decides how passwords are
    hashed, so that no cost that was read counts. If it is ``of_file``, the line only shows whose
    file it is, and what the sign says is true of all of it.
    """

    mark: str
    says: str
    cure: str = ""
    hasher: str = ""
    params: dict[str, int] = {}
    always: bool = False
    elsewhere: bool = False
    unset: bool = False
    instead: bool = False
    of_file: bool = False
    until: str = ""
    backports: tuple[str, ...] = ()


class OfImage(Facts, frozen=True):
    """Words for an image whose application has no default cost without any setting."""

    says: str
    cure: str = ""


class Dated(Facts, frozen=True):
    """A sign of an application's old releases, of which ``newest`` is the last.

    ``mark`` is in a line, comments included, or ``path`` in the path of the file; neither
    tells anything if a line has ``unless``.
    """

    newest: str
    mark: str = ""
    path: str = ""
    unless: str = ""


class Signs(Facts, frozen=True):
    """Regular expressions that tell an application's file from another.

    ``own`` show that a file is the application's, so that its default counts where the
    file sets nothing; without any, the default never counts by itself. ``images`` are those of
    an application whose container takes its settings from variables: a file that starts one is
    its own, too, and ``of_image`` says what such a container does without any setting, if that
    is not a default cost. ``unfit`` name an algorithm that is not a password hash, or set a cost
    by their presence, whatever else is set; ``unread`` set a cost that no reader here can read,
    and ``elsewhere`` take in another file, the group ``path`` or the Python module of the group
    ``module``, that may set it. ``given`` start the application with its file, the group
    ``path``, as a unit or a script does. ``stated`` and ``dated`` tell the release where
    nothing else does: it is the group ``release`` of the former, which counts only in a paragraph
    that has a line with ``stated_in``, if that is given. Comments are left out, but for
    ``own`` and those three. ``tests`` are lines that only tests run, and ``test_files`` the paths
    of files that only tests read, beside those that their language names so.
    """

    own: tuple[str, ...] = ()
    images: tuple[str, ...] = ()
    of_image: OfImage | None = None
    unfit: tuple[Sign, ...] = ()
    unread: tuple[Sign, ...] = ()
    elsewhere: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    stated: str = ""
    stated_in: str = ""
    dated: tuple[Dated, ...] = ()
    tests: str = ""
    test_files: str = ""


Costs: TypeAlias = Iterable[Found]
"""Costs that a file sets, in any order."""


class App(Facts, frozen=True, kw_only=True):
    """An application, or a library that applications hash with.

    ``comment`` is a line of comment in the file that the snippet goes into, with ``{}``
    for its text. ``signs`` tell its files from others. ``places`` are where that file
    usually is; relative ones are below the folder that the user is in. ``rehashes`` says
    when stored hashes follow the setting.
    """

    name: str
    title: str
    schemes: tuple[Scheme, ...]
    """The one that the application uses by default comes first."""
    comment: str
    reading: dict[str, Any] = msgspec.field(name="read")
    """The ``format`` of its files with its settings, as `format_of` takes them; those of files
    that have ``<?php`` may be in a table ``php`` of their own, those of files whose first
    setting is ``NAME=value`` in a table ``lines``, and those of files in which it finds no
    cost in a table ``otherwise``."""
    signs: Signs = Signs()
    places: tuple[str, ...] = ()
    comments_at_end: bool = False
    """Whether a comment after a setting, on its line, is left out of the value."""
    together: bool = False
    """Whether files that are named together count as one, in their order."""
    together_if_one_has: str = ""
    """An expression for a line that exactly one file has if they count as one."""
    beside: tuple[str, ...] = ()
    """Files that may set the cost too, by their places relative to one that is named."""
    reads: tuple[str, ...] = ()
    """Files of the system, by such places, that it reads as well: all count as one."""
    gives_way: str = ""
    """The application that decides instead where one of those is there."""
    rehashes: str
    sources: tuple[str, ...]
    checked: dt.date
    """When the sources were last looked at."""
    first: dict[str, str] = {}
    """Releases with the default hasher from each on, where it changed."""
    since_words: dict[str, str] = {}
    """Words, each with the release before which no snippet has a line with it."""
    unfit: Unfit | None = None
    every: tuple[Every, ...] = ()
    """The hashers that every password is hashed with, if these are several."""
    package: str | None = None
    """The Python package whose version decides on a default, pinned or installed."""
    pins: tuple[str, ...] = ()
    """Its other names in lock files, manifests and image tags."""
    releases_of: str = ""
    """The title of the library whose releases are meant, if that is another."""
    supported: str = ""
    """The oldest release that its makers support, if releases have different defaults: where no
    release is known, the weakest default from this one on counts."""
    each_request: bool = False
    """Whether it makes hashes for HTTP Basic authentication."""
    note: str = ""
    proviso: str = ""
    """A condition of every cost that its files set, which no file of settings can tell."""
    overridden: Overridden | None = None
    """A setting that overrides its files, and often is not among the files that are named."""
    look: str = ""
    """How to see the cost that it used, if `explain` does not read what it shows."""
    release: str | None = None
    """The release that reads the files, if it is known; no file of ours has it."""

    @property
    def title_of_releases(self) -> str:
        """The title of what has the releases by which defaults are told."""
        return self.releases_of or self.title

    @property
    def images(self) -> tuple[str, ...]:
        """The names that its image may have, without a registry."""
        return (*self.signs.images, *self.pins)

    @property
    def keeps_hashes(self) -> bool:
        """Whether a stored hash stays as it is until its password is set again."""
        return self.rehashes.startswith("never")

    def for_stored_hashes(self, change: str) -> str:
        """Add to a change how the stored hashes come to follow it."""
        if self.keeps_hashes:
            return f"{change}, and set each password again"
        return f"{change}; stored hashes follow the setting {self.rehashes}"

    def supported_from(self, release: str) -> str:
        """The first release from this one on that its makers still support, if that is known."""
        return max(release, self.supported or release, key=parse_release)

    def choice_of(self, hasher: str) -> str:
        """Say which word of a setting chooses a hasher; empty if none does."""
        algorithm = self.reading.get("algorithm")
        if algorithm is None:
            return ""
        for word, group in self.reading["groups"].items():
            if group.get("hasher") == hasher:
                return f"set {algorithm['key']} to {word}"
        return ""

    def scheme(self, hasher: str | None) -> Scheme | None:
        """The scheme of a hasher, or the first one; `None` if the application lacks the hasher."""
        if hasher is None:
            return self.schemes[0]
        for scheme in self.schemes:
            if scheme.hasher == hasher:
                return scheme
        return None

    def hashers_of(self, names: Iterable[str]) -> tuple[str, ...]:
        """Leave out the named hashers that the application cannot use."""
        return tuple(name for name in names if self.scheme(name) is not None)

    def at(self, release: str | None) -> App:
        """The application in a release, with the snippets that this one reads."""
        app = msgspec.structs.replace(self, release=release)
        if release is None:
            return app
        schemes = []
        for scheme in self.schemes:
            template = scheme.template
            # Of several the one for the oldest releases comes last here.
            for older in reversed(scheme.older):
                if app.is_before(older.before):
                    template = older.template
            schemes.append(msgspec.structs.replace(scheme, template=template))
        return msgspec.structs.replace(app, schemes=tuple(schemes))

    def on(self, cpu_model: str | None) -> App:
        """The application with only the factors of one CPU."""
        schemes = tuple(scheme.on(cpu_model) for scheme in self.schemes)
        return msgspec.structs.replace(self, schemes=schemes)

    def is_before(self, release: str, backports: Iterable[str] = ()) -> bool:
        """Whether an older release may read the files: one that is known, or any supported one.

        One of an older line does not count if it is, or follows, that line's own in ``backports``.
        """
        number = parse_release(self.release or self.supported)
        for backport in map(parse_release, backports):
            # A line of releases has the first two numbers in common.
            if backport[:2] == number[:2] and backport <= number:
                return False
        return number < parse_release(release)

    def changed_within(self, release: str) -> bool:
        """Whether a setting or a default changed after the first release of those that begin so.

        Of Gitea that is so of 1, since the defaults are those of 1.19, but not of 1.19.
        """
        changes = {*self.first}
        for scheme in self.schemes:
            changes.update(default.since for default in scheme.defaults)
            if scheme.since is not None:
                changes.add(scheme.since.release)
        return any(change.startswith(f"{release}.") for change in changes)

    @property
    def usual_hasher(self) -> str | None:
        """The hasher of the release by default; `None` if it never changed, or nothing tells."""
        since = [first for first in self.first if self.release and not self.is_before(first)]
        if not since:
            return None
        return self.first[max(since, key=parse_release)]

    def usual_since(self, hasher: str) -> str:
        """The release from which on a hasher is the default; empty if it never became that."""
        since = [release for release, first in self.first.items() if first == hasher]
        return max(since, key=parse_release, default="")

    def hasher_before(self, release: str) -> str | None:
        """The hasher by default just before a release; `None` if it never changed before it."""
        number = parse_release(release)
        older = [first for first in self.first if parse_release(first) < number]
        if not older:
            return None
        return self.first[max(older, key=parse_release)]

    @property
    def usual_scheme(self) -> Scheme:
        """The scheme that the release uses by default, as far as that is known."""
        return self.scheme(self.usual_hasher) or self.schemes[0]

    def default_of(self, hasher: str) -> ReleaseDefault | None:
        """The release's default for a hasher; without one, the weakest that is supported."""
        scheme = self.scheme(hasher)
        if scheme is None:
            return None
        return self.current(hasher, scheme.defaults)

    def current(self, hasher: str, defaults: Iterable[ReleaseDefault]) -> ReleaseDefault | None:
        """Pick the release's default, or the weakest that is supported, from several."""
        current = []
        later = []
        elsewhere = []
        for default in defaults:
            if default.since[:1].isalpha():
                elsewhere.append(default)  # A release of another program, such as PHP 8.4.
            elif self.is_before(default.since):
                later.append(default)
            else:
                current = [default]
        if self.release is not None and later and not current:
            return None  # An older release than those whose defaults are known.
        possible = current + elsewhere
        if self.release is None:
            possible += later
        # Of releases that may be the one, the weakest default is judged.
        return min(possible, key=lambda row: guess_work(hasher, row.params) or 0, default=None)

    def lacks(self, scheme: Scheme) -> bool:
        """Tell whether the release, or a supported one if it is unknown, lacks settings."""
        since = scheme.since
        return since is not None and self.is_before(since.release, since.backports)

    def missing(self, scheme: Scheme) -> MissingSetting | None:
        """Find out what the release lacks to set the cost of a scheme.

        Returns:
            `None` if it has the settings, or if the release is unknown.
        """
        if self.release is None or scheme.since is None or not self.lacks(scheme):
            return None
        others = tuple(other for other in self.schemes if not self.lacks(other))
        default = self.usual(scheme.hasher)
        return MissingSetting(
            program=self.title_of_releases,
            hasher=scheme.hasher,
            since=scheme.since,
            others=others,
            default=default,
            upgrade=self.supported_from(scheme.since.release),
        )

    def caution_of(self, scheme: Scheme) -> str:
        """Warn of the releases that do not read a scheme's settings as they are meant."""
        if scheme.since is None:
            warnings = [scheme.caution, *self._written_otherwise(scheme)]
            warnings.append(self._older_than_known(scheme))
            return "; ".join(filter(None, warnings))
        if not self.lacks(scheme):
            return "; ".join(self._written_otherwise(scheme))
        lacks = f"{self.title_of_releases} before {scheme.since.release} lacks this setting"
        return scheme.caution or lacks

    def _written_otherwise(self, scheme: Scheme) -> list[str]:
        """Say what differs in the supported releases that read another snippet."""
        # Of a known release it is the snippet.
        if self.release is not None:
            return []
        return [older.says for older in scheme.older if self.is_before(older.before)]

    def snippet(self, scheme: Scheme, params: Params) -> str:
        """Write the text that configures a cost, without the lines that its release lacks."""
        words = [word for word, release in self.since_words.items() if self.is_before(release)]
        lines = scheme.write(params).splitlines(keepends=True)
        return "".join(line for line in lines if not any(word in line for word in words))

    def _older_than_known(self, scheme: Scheme) -> str:
        """Say that the release is older than all whose default is known, or nothing."""
        releases = [row.since for row in scheme.defaults if not row.since[:1].isalpha()]
        if self.release is None or not releases:
            return ""
        oldest = min(releases, key=parse_release)
        if not self.is_before(oldest):
            return ""
        program = self.title_of_releases
        return f"{program} before {oldest} was not checked: make sure that it has this setting"

    def usual(self, hasher: str) -> Params:
        """The params of a hasher where nothing sets them; empty if it has no default."""
        default = self.default_of(hasher)
        if default is None:
            return {}
        return default.params

    def reading_of(self, text: str) -> dict[str, Any]:
        """How the text of a file is read: ``reading``, or its table for PHP or for lines."""
        table = self.reading
        if "<?php" in text:
            table = table.get("php", table)
        if _FIRST_ASSIGNMENT.match(text):
            table = table.get("lines", table)
        return table

    def read(self, text: str) -> tuple[Found, ...]:
        """Every cost in the text of a file, in its order; empty if it configures none.

        Raises:
            UnreadableInputError: the text is not valid.
        """
        text = own_services(text, self.images)
        table = self.reading_of(text)
        lines = text.splitlines()
        if table["format"] == "ansible.password_hash":
            lines = []  # Its files are templates.
        try:
            costs = self._costs_of(table, text)
        except UndeterminedError as error:
            is_filled_in = any(_PLACEHOLDER.search(line) for line in lines[error.line - 1 :][:1])
            if error.line and is_filled_in:
                raise UndeterminedError(
                    error.line, FILLED_IN, named=error.named, cure=CHECK_WHAT_IS_MADE
                ) from error
            raise
        # A long line may have many costs.
        with_costs = {cost.line for cost in costs if 0 < cost.line <= len(lines)}
        filled_in = {line for line in with_costs if _PLACEHOLDER.search(lines[line - 1])}
        # What was read beside a placeholder may be a part of it, whatever it looks like, unless
        # it stays the same with other words there.
        certain = self._read_with_any_word(table, text) if filled_in else []
        for index, cost in enumerate(costs):
            if cost.line in filled_in and cost not in certain:
                costs[index] = Found.undetermined(
                    cost.line, FILLED_IN, cost.hasher, CHECK_WHAT_IS_MADE
                )
        return tuple(sorted(costs, key=lambda cost: cost.line))

    def _costs_of(self, table: Mapping[str, Any], text: str) -> list[Found]:
        """Every cost in a text, read as a table says."""
        is_template = "{{" in text or "{%" in text
        # To YAML, a value in two pairs of braces is a mapping.
        if not is_template or table["format"] != "settings.Yaml":
            try:
                return self._costs_of_plain(table, text)
            except UnreadableInputError:
                if not is_template:
                    raise
        plain = without_template(text)
        costs = self._costs_of_plain(table, plain.text)
        for index, cost in enumerate(costs):
            if cost.line in plain.under_conditions:
                costs[index] = Found.undetermined(
                    cost.line, FILLED_IN, cost.hasher, CHECK_WHAT_IS_MADE
                )
        return costs

    def _costs_of_plain(self, table: Mapping[str, Any], text: str) -> list[Found]:
        """Every cost in a text that no template has to fill in."""
        costs = list(format_of(table)(self, text))
        if not costs and "otherwise" in table:
            costs = list(format_of(table["otherwise"])(self, text))
        return costs

    def _read_with_any_word(self, table: Mapping[str, Any], text: str) -> list[Found]:
        """List the costs that are the same with two other words in place of each placeholder."""
        readings = []
        for word in ("7", "x9"):
            filled = _PLACEHOLDER.sub(partial(_filled, word), text)
            try:
                readings.append(self._costs_of(table, filled))
            except UnreadableInputError:
                return []
        first, second = readings
        return [cost for cost in first if cost in second]


def _filled(word: str, placeholder: re.Match[str]) -> str:
    """Write a word in place of a placeholder, which may have several lines."""
    return word + "\n" * placeholder[0].count("\n")


Format: TypeAlias = Callable[[App, str], Costs]
"""How the files of one kind are read: every cost in the text of a file."""
_PLACEHOLDER: Final = re.compile(r"\{\{[^{}]*\}\}|<%=(?:(?!<%=).)*?%>|%\(\w+\)s")
"""A value that Jinja, Helm, ERB or Python fills in."""
FILLED_IN: Final = "a template fills it in"
CHECK_WHAT_IS_MADE: Final = "name the file that it makes"
_FIRST_ASSIGNMENT: Final = re.compile(
    r"(?:[^\S\n]*+(?:#[^\n]*+)?\n)*+[^\S\n]*+[^\s:=#]++[^\S\n]*+="
)
"""A text whose first line that is neither blank nor a comment is ``NAME=value``."""
_OF_EVERY_FORMAT: Final = frozenset({"format", "php", "lines", "otherwise"})


def format_of(table: Mapping[str, Any]) -> Format:
    """The format that a table names, with the rest of the table as its settings.

    It is a function in a module of ``formats/``, or a type with a method ``read``.
    """
    module, _, attribute = table["format"].partition(".")
    reader = getattr(import_module(f"hashcost.apps.formats.{module}"), attribute)
    if not isinstance(reader, type):
        return cast("Format", reader)
    settings = {key: value for key, value in table.items() if key not in _OF_EVERY_FORMAT}
    return cast("Format", msgspec.convert(settings, reader).read)


class Earlier(SourcedFigure, frozen=True, kw_only=True):
    """The hashing of an application without a cost ``before`` a release, as far as to ``since``.

    ``instead`` is what can be done there, if that is another thing than in new releases.
    """

    before: str
    what: str
    since: str = ""
    instead: str = ""


class Untunable(Facts, frozen=True):
    """An application whose configuration sets no cost, and what can be done instead.

    ``earlier`` is how older releases hash, from the newest of these to the oldest.
    """

    name: str
    title: str
    what: str
    instead: str
    sources: tuple[str, ...]
    checked: dt.date
    earlier: tuple[Earlier, ...] = ()

    @property
    def all_sources(self) -> tuple[str, ...]:
        """The sources of what it says of all releases."""
        return (*self.sources, *(earlier.source for earlier in self.earlier))

    @property
    def what_of_all(self) -> str:
        """How it hashes in all releases that are known."""
        olders = [f"before {earlier.before}, {earlier.what}" for earlier in self.earlier]
        return joined(self.what, *olders)

    def says(self, release: str | None = None) -> str:
        """Tell how it hashes, or how one release does, as of when, and what to do instead."""
        if release is None:
            return self._no_cost(self.title, self.what_of_all, self.checked, self.instead)
        number = parse_release(release)
        named = printable(release)[:40]
        program = f"{self.title} {named}"
        # The last of those that came after the release is the one that it is older than.
        newer = [row for row in self.earlier if number < parse_release(row.before)]
        if not newer:
            if self.earlier:
                return self._no_cost(program, self.what, self.checked, self.instead)
            doubt = f"hashcost does not know whether {named} differs. {self.instead}"
            return self._no_cost(self.title, self.what, self.checked, doubt)
        row = newer[-1]
        instead = row.instead or self.instead
        if row.since and number < parse_release(row.since):
            return f"hashcost does not know how {self.title} before {row.since} hashes. {instead}"
        return self._no_cost(program, row.what, row.checked or self.checked, instead)

    def _no_cost(self, program: str, what: str, day: dt.date, instead: str) -> str:
        return f"{program} has no cost in its configuration: {what}, as of {day}. {instead}"
