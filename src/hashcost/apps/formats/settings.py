"""CostSettings by their names, some of which say which algorithm the others are for.

What the formats ``assignments``, ``ini`` and ``yaml`` share, whatever their syntax is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, Literal

import msgspec

from hashcost.apps.files.acceptance import with_ranges
from hashcost.apps.files.lines import Entry
from hashcost.apps.files.yaml_costs import Number, costs, log2, setting
from hashcost.apps.files.yaml_file import Scalar
from hashcost.apps.interface import App, Found
from hashcost.core.errors import UnreadableInputError, UntoldError
from hashcost.core.text import printable

_SIZE: Final = re.compile(
    r"(?P<number>[0-9]{1,15}(?:\.[0-9]{1,6})?)\s*(?P<unit>[KMGT]?)B?", re.IGNORECASE
)


class Choice(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A setting whose value is one of some words; ``default`` is what it is if not set."""

    key: str
    default: str
    aliases: dict[str, str] = {}
    """Older words, each with the one that it stands for."""
    unfit: tuple[str, ...] = ()
    """Those that are no password hash."""
    or_key: str = ""
    """What has the word too, where the key is not set."""

    def set_by(self, found: Sequence[Scalar]) -> Scalar | None:
        """The setting that has the word, if any."""
        value = setting(found, self.key)
        return setting(found, self.or_key) if value is None and self.or_key else value

    def made(self, found: Sequence[Scalar], known: Sequence[str], title: str) -> str:
        """The word that counts.

        Raises:
            UnreadableInputError: it is none of those that are known.
        """
        value = self.set_by(found)
        if value is None:
            return self.default
        written = value.text.lower()
        word = self.aliases.get(written, written)
        if word not in known:
            raise UntoldError(
                value.line,
                f"{self.key} is {printable(written)[:40]!r}; {title} knows {', '.join(known)}",
            )
        return word


class CostSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What sets the cost of one algorithm: the ``keys`` of its params.

    ``units`` are those that differ from the hasher's own. ``variants`` are the hashers
    that the words of ``variant`` stand for; an empty one has no cost that is known here.
    ``older`` are keys of earlier releases, with ``older_units``, which count where the
    algorithm is used and none of the ``keys`` is set.
    """

    keys: dict[str, str]
    hasher: str = ""
    units: dict[str, Literal["log2", "MiB", "size"]] = {}
    variant: Choice | None = None
    variants: dict[str, str] = {}
    older: dict[str, str] = {}
    older_units: dict[str, Literal["log2", "MiB", "size"]] = {}

    def as_set(self, found: Sequence[Scalar], *, used: bool) -> CostSettings:
        """The same, by the keys that a file has."""
        if not used or not self.older or any(setting(found, key) for key in self.keys.values()):
            return self
        return msgspec.structs.replace(self, keys=self.older, units=self.older_units)

    def hashes_with(self, found: Sequence[Scalar], title: str) -> str:
        """The hasher that the keys are for; empty if its cost is not known."""
        if self.variant is None:
            return self.hasher
        return self.variants[self.variant.made(found, tuple(self.variants), title)]


class NamedSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Groups of settings, each under the word that ``algorithm`` has if it counts.

    Without an ``algorithm`` all of them count.
    """

    groups: dict[str, CostSettings]
    algorithm: Choice | None = None

    def costs(self, app: App, found: Sequence[Scalar]) -> tuple[Found, ...]:
        """The cost that each group sets, and whether the application uses it.

        Raises:
            UnreadableInputError: a word or a number is none that the application takes.
        """
        return with_ranges(self._costs(app, found), app)

    def _costs(self, app: App, found: Sequence[Scalar]) -> Iterator[Found]:
        word, told, at = None, "", None
        unfit = None if self.algorithm is None else self.algorithm.set_by(found)
        if self.algorithm and unfit and unfit.text.lower() in self.algorithm.unfit:
            named = unfit.text.lower()
            yield Found.unfit(named, unfit.line, f"{unfit.name} is {named}")
            return
        if self.algorithm is not None:
            key = self.algorithm.key
            word = self.algorithm.made(found, tuple(self.groups), app.title)
            told = f"{word} is used unless {key} says otherwise"
            chosen = self.algorithm.set_by(found)
            if chosen is not None:
                told, at = f"{key} is {word}", chosen.line
        for name, group in self.groups.items():
            used = word in {None, name}
            settings = group.as_set(found, used=used)
            hasher = settings.hashes_with(found, app.title)
            numbers = {param: _NUMBERS[unit] for param, unit in settings.units.items()}
            because = "" if used else told
            if hasher:
                yield from costs(
                    found, hasher, settings.keys, numbers, used=used, because=because, at=at
                )
            elif name == word and settings.variant is not None:
                raise _not_known(found, settings.variant)


def setting_of(entry: Entry) -> Scalar:
    """A setting on a line; ``${NAME:-12}`` counts as its default, and the words say so."""
    return Scalar(path=(entry.name,), text=entry.value, line=entry.line, quoted=True).resolved()


def _not_known(found: Sequence[Scalar], variant: Choice) -> UnreadableInputError:
    value = setting(found, variant.key)
    line, text = (0, variant.default) if value is None else (value.line, value.text)
    return UntoldError(
        line, f"{variant.key} is {printable(text)[:40]}, whose cost hashcost does not judge"
    )


def _kibibytes(value: Scalar) -> int:
    """A size as go-bytesize has it: a KB is 1024 bytes, and a bare number counts bytes."""
    match = _SIZE.fullmatch(value.text.strip())
    if match is None:
        raise UntoldError(
            value.line, f"{value.name} is {printable(value.text)[:40]!r}, which is not a size"
        )
    bytes_per_unit = 1024 ** " KMGT".index(match["unit"].upper() or " ")
    return int(float(match["number"]) * bytes_per_unit) // 1024


def _mebibytes(value: Scalar) -> int:
    return value.number() * 1024


_NUMBERS: Final[dict[str, Number]] = {"log2": log2, "MiB": _mebibytes, "size": _kibibytes}
"""How a number is read that is not in the hasher's own unit."""
