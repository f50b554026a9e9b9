"""Settings by their names, some of which say which algorithm the others are for."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, Literal, TypeAlias

import msgspec

from hashcost.apps.ini import entries
from hashcost.apps.interface import App, Found
from hashcost.apps.php_values import php_values
from hashcost.apps.text import Entry, assignments, in_order, power_of_two, whole_number
from hashcost.apps.yaml_values import Scalar, of_first_document, setting_of
from hashcost.core.errors import UntoldError
from hashcost.core.text import joined, printable

Unit: TypeAlias = Literal["log2", "MiB", "size"]

_SIZE: Final = re.compile(
    r"(?P<number>[0-9]{1,15}(?:\.[0-9]{1,6})?)\s*(?P<unit>[KMGT]?)B?", re.IGNORECASE
)


class Choice(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A setting whose value is one of some words; ``default`` is what it is if not set."""

    key: str
    default: str
    aliases: dict[str, str] = {}
    """Synonyms, each with its word."""
    unfit: tuple[str, ...] = ()
    """The words for what is not a password hash."""
    or_key: str = ""
    """Another setting with the word, where the key is not set."""

    def set_by(self, settings: Sequence[Scalar]) -> Scalar | None:
        """The setting that has the word, if any."""
        value = setting(settings, self.key)
        return setting(settings, self.or_key) if value is None and self.or_key else value

    def word(self, written: str) -> str:
        """The word that a synonym means."""
        word = written.strip("`\"'").lower()
        while word in self.aliases:
            word = self.aliases[word]
        return word

    def made(self, settings: Sequence[Scalar], words: Collection[str], title: str) -> str:
        """The word that counts.

        Raises:
            UntoldError: it is not one of the ``words``.
        """
        value = self.set_by(settings)
        word = self.default if value is None else self.word(value.text)
        if value is not None and word not in words:
            shown = printable(value.text)[:40]
            what = f"{self.key} is {shown!r}; {title} knows {', '.join(words)}"
            raise UntoldError(value.line, what)
        return word


class Form(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A word that has the cost in it, as an expression with a group for each param.

    A group ``key`` is the length of PBKDF2's key, of which ``block`` bytes take one block.
    """

    mark: str
    hasher: str
    block: int = 0


class CostSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of one algorithm: the ``keys`` of its params.

    ``units`` are those that differ from the hasher's own. ``variants`` are the hashers
    that the words of ``variant`` mean; the cost of an empty one is unknown.
    ``older`` are keys of earlier releases, with ``older_units``, which count where the
    algorithm is used and none of the ``keys`` is set. Where the list ``listed`` is set, the
    algorithm counts only if that has its name.
    """

    keys: dict[str, str]
    hasher: str = ""
    units: dict[str, Unit] = {}
    variant: Choice | None = None
    variants: dict[str, str] = {}
    older: dict[str, str] = {}
    older_units: dict[str, Unit] = {}
    listed: str = ""

    def as_set(self, settings: Sequence[Scalar], *, used: bool) -> CostSettings:
        """The settings by the keys that a file has."""
        if not used or not self.older or any(setting(settings, key) for key in self.keys.values()):
            return self
        return msgspec.structs.replace(self, keys=self.older, units=self.older_units)

    def leaves_out(self, name: str, settings: Sequence[Scalar]) -> bool:
        """Whether the list of algorithms is set, without one."""
        words = [
            value.text for value in settings if self.listed and value.name.startswith(self.listed)
        ]
        return bool(words) and name not in re.findall(r"[\w-]+", " ".join(words))

    def hasher_of(self, settings: Sequence[Scalar], title: str, *, used: bool) -> str:
        """The hasher that the settings choose; empty if its cost is not known and it is not used.

        Raises:
            UntoldError: its cost is not known and it is used.
        """
        variant = self.variant
        if variant is None:
            return self.hasher
        hasher = self.variants[variant.made(settings, self.variants, title)]
        if not hasher and used:
            value = setting(settings, variant.key)
            text = variant.default if value is None else printable(value.text)[:40]
            why = f"{variant.key} is {text}, whose cost hashcost does not judge"
            raise UntoldError(0 if value is None else value.line, why)
        return hasher


class NamedSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Groups of settings, each under the word that ``algorithm`` has if it counts.

    Without an ``algorithm`` all of them count. Instead of groups there may be ``forms`` of
    that word, which then has the cost too.
    """

    groups: dict[str, CostSettings] = {}
    algorithm: Choice | None = None
    forms: tuple[Form, ...] = ()

    def costs(self, app: App, settings: Sequence[Scalar]) -> tuple[Found, ...]:
        """The cost that each group sets, and whether the application uses it.

        Raises:
            UntoldError: the application does not take a word or a number.
        """
        if self.algorithm is not None and self.forms:
            return in_order(self._by_form(app, self.algorithm, settings))
        return tuple(sorted(self._costs(app, settings), key=lambda cost: (cost.line, cost.wins)))

    def _by_form(self, app: App, algorithm: Choice, settings: Sequence[Scalar]) -> Iterator[Found]:
        values = named(settings, algorithm.key)
        if not values and (other := algorithm.set_by(settings)) is not None:
            values = [other]
        for value in values:
            word = algorithm.word(value.text)
            matches = ((form, re.fullmatch(form.mark, word)) for form in self.forms)
            costs = [_of_form(form, match, value) for form, match in matches if match]
            if not costs:
                shown = printable(value.text)[:40]
                what = f"{value.name} is {shown!r}, which {app.title} does not know"
                raise UntoldError(value.line, what)
            yield costs[0]

    def _costs(self, app: App, settings: Sequence[Scalar]) -> Iterator[Found]:
        word, at = None, None
        if self.algorithm is not None:
            chosen = self.algorithm.set_by(settings)
            if chosen is not None and chosen.text.lower() in self.algorithm.unfit:
                unfit = chosen.text.lower()
                yield Found.unfit(unfit, chosen.line, f"{chosen.name} is {unfit}")
                return
            word = self.algorithm.made(settings, self.groups, app.title)
            at = None if chosen is None else chosen.line
        own_keys = set(self.groups[word].keys.values()) if word in self.groups else set()
        for name, listed in self.groups.items():
            used = word in {None, name}
            if not used and own_keys.issuperset(listed.keys.values()):
                continue  # The same settings, for the algorithm that is used.
            group = listed.as_set(settings, used=used)
            hasher = group.hasher_of(settings, app.title, used=name == word)
            if not hasher:
                continue
            used = used and not group.leaves_out(name, settings)
            yield from costs_of(settings, hasher, group.keys, group.units, used=used, at=at)


class Assignments(NamedSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Lines such as ``NAME=value``, ``NAME value`` and ``name: value``: dotenv and kin.

    ``by`` has what may stand between name and value. If several lines have one name, the
    last counts, or the ``first``; ``why`` says so. Names know no case if ``folded``.
    """

    by: str = "="
    counts: Literal["first", "last"] = "last"
    why: str
    folded: bool = False

    def read(self, app: App, text: str) -> tuple[Found, ...]:
        """Every cost that the lines set."""
        lines = assignments(text, by=self.by)
        if self.folded:
            lines = (replace(line, name=line.name.lower()) for line in lines)
        settings = [setting_of(line) for line in lines]
        return self.costs(app, tuple(one_winner(settings, self.counts, self.why)))


class Ini(NamedSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of the sections whose names match ``section``; the last of each is used.

    As in an option file of MySQL, dashes and underscores are alike if ``dashed``.
    """

    section: str
    dashed: bool = False

    def read(self, app: App, text: str) -> tuple[Found, ...]:
        """Every cost that the section sets."""
        lines = [
            setting_of(replace(line, name=self._name(line)))
            for line in entries(text)
            if re.fullmatch(self.section, line.section)
        ]
        settled = one_winner(lines, "last", f"the last one in [{self.section}] counts")
        return self.costs(app, tuple(settled))

    def _name(self, line: Entry) -> str:
        if not self.dashed:
            return line.name
        return line.name.lower().replace("-", "_").removeprefix("loose_")


class Yaml(NamedSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Keys such as ``hashers.bcrypt.cost``, nested or written with dots."""

    def read(self, app: App, text: str) -> tuple[Found, ...]:
        """Every cost that the first document sets."""
        return self.costs(app, of_first_document(text))


class PhpArray(NamedSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """PHP's arrays and variables; ``constants`` are PHP's, with the numbers they stand for.

    Lines above the PHP set variables of the environment.
    """

    constants: dict[str, int] = {}

    def read(self, app: App, text: str) -> tuple[Found, ...]:
        """Every cost that the file sets."""
        above = text.partition("<?php")[0] if "<?php" in text else ""
        variables = {line.name: line for line in assignments(above)}
        settings = []
        for entry in php_values("\n" * above.count("\n") + text[len(above) :]):
            setting = setting_of(entry)
            if setting.variable in variables:
                setting = setting_of(replace(variables[setting.variable], name=entry.name))
            number = self.constants.get(setting.text)
            settings.append(setting if number is None else replace(setting, text=str(number)))
        return self.costs(app, tuple(one_winner(settings, "last", "")))


def one_winner(
    settings: Sequence[Scalar], counts: Literal["first", "last"], why: str
) -> Iterator[Scalar]:
    """The values, of which the first or the last with one name wins."""
    winners = {value.name: value for value in (settings if counts == "last" else settings[::-1])}
    names = [value.name for value in settings]
    for value in settings:
        if winners[value.name] is not value:
            yield replace(value, wins=False)
        elif names.count(value.name) > 1:
            yield replace(value, why=joined(value.why, why))
        else:
            yield value


def named(settings: Iterable[Scalar], name: str) -> list[Scalar]:
    """The values of a dotted name that are set, whether nested or written with dots.

    If it is written both ways, the last counts; an application may refuse such a file.
    """
    values = [value for value in settings if value.name == name and not value.is_null]
    winning = [index for index, value in enumerate(values) if value.wins]
    if len(winning) > 1:
        for index in winning[:-1]:
            values[index] = replace(values[index], wins=False)
        why = "written twice, which an application may refuse"
        values[winning[-1]] = replace(values[winning[-1]], why=why)
    return values


def setting(settings: Iterable[Scalar], name: str) -> Scalar | None:
    """The one of this name that is used."""
    return next((value for value in named(settings, name) if value.wins), None)


def costs_of(
    settings: Sequence[Scalar],
    hasher: str,
    keys: Mapping[str, str],
    units: Mapping[str, Unit],
    *,
    used: bool,
    at: int | None = None,
) -> Iterator[Found]:
    """The cost that the file sets for one hasher, after each value that it overrides.

    ``keys`` are the dotted names of its params. If the application uses this hasher and the
    file sets no cost, the line that names the hasher (``at``) stands for its default.
    """
    won = {}
    for param, name in keys.items():
        for value in named(settings, name):
            if value.wins:
                won[param] = value
            else:
                yield replace(cost_of(hasher, {param: value}, units), wins=False)
    if won:
        yield replace(cost_of(hasher, won, units), wins=used)
    elif used and at is not None:
        yield Found(hasher=hasher, params={}, line=at)


def cost_of(hasher: str, values: Mapping[str, Scalar], units: Mapping[str, Unit]) -> Found:
    """The cost that settings make, by their params; ``units`` are those that are not its own."""
    return Found(
        hasher=hasher,
        params={param: _number(value, units.get(param)) for param, value in values.items()},
        line=min((value.line for value in values.values()), default=0),
        lines={param: value.line for param, value in values.items()},
        why=joined(*(value.why for value in values.values())),
        environment=next((value.variable for value in values.values() if value.variable), ""),
    )


def _of_form(form: Form, match: re.Match[str], value: Scalar) -> Found:
    params = {
        param: whole_number(number, value.name, value.line)
        for param, number in match.groupdict().items()
        if number
    }
    key_bytes = params.pop("key", 0)
    blocks = max(1, -(-key_bytes // form.block)) if form.block else None
    why = value.why
    if blocks is not None and blocks > 1:
        why = joined(
            why,
            f"its key of {key_bytes} bytes takes {blocks} blocks, which costs you {blocks} times"
            f" and an attacker once; ${form.block} at the end takes one",
        )
    return Found(
        hasher=form.hasher,
        params=params,
        line=value.line,
        wins=value.wins,
        why=why,
        environment=value.variable,
        blocks=blocks,
    )


def _number(value: Scalar, unit: Unit | None) -> int:
    """A param in the hasher's own unit.

    Raises:
        UntoldError: it is not a number, or only the environment knows it.
        UnreadableInputError: it is beyond any cost.
    """
    if unit == "size":  # As go-bytesize has it: a KB is 1024 bytes.
        match = _SIZE.fullmatch(value.text.strip())
        if match is None:
            shown = printable(value.text)[:40]
            raise UntoldError(value.line, f"{value.name} is {shown!r}, which is not a size")
        power = " KMGT".index(match["unit"].upper() or " ")
        return int(float(match["number"]) * 1024**power) // 1024
    number = value.number()
    if unit == "log2":
        return power_of_two(number, value.name, value.line)
    return number * 1024 if unit == "MiB" else number
