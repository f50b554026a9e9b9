"""The facts of an application by which its cost is read, judged and written.

Each application is a TOML file in ``data/``, which ``registry.py`` loads into these
values; ``data/vaultwarden.toml`` is a short example.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from importlib import import_module
from typing import Any, Final, NamedTuple, TypeAlias, cast

import msgspec

from hashcost.apps.containers import own_services
from hashcost.apps.facts import Facts, SourcedFigure
from hashcost.apps.found import Costs, Found
from hashcost.apps.schemes import FirstRelease, ReleaseDefault, Scheme
from hashcost.apps.sign_tables import Signs
from hashcost.apps.templates import without_template
from hashcost.core.algorithms import guess_work
from hashcost.core.errors import UndeterminedError, UnreadableInputError
from hashcost.core.measurement import Params
from hashcost.core.units import format_setting, parse_release


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
        return self.may_be_so(text)

    def may_be_so(self, text: str) -> bool:
        """Whether the text of a file allows that an old release hashes with it."""
        return not (self.unless and re.search(self.unless, text))


class Overridden(Facts, frozen=True):
    """A setting that goes before the files of an application, unless these match ``unless``."""

    by: str
    unless: str = ""


class Every(Facts, frozen=True):
    """A hasher that every password is hashed with, unless a line matches an expression."""

    hasher: str
    unless: str


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
    first: dict[str, str] = msgspec.field(default_factory=dict)
    """Releases with the default hasher from each on, where it changed."""
    since_words: dict[str, str] = msgspec.field(default_factory=dict)
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
