"""Algorithms that an application can use: their settings, limits and defaults."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Collection
from typing import Final, Literal

import msgspec

from hashcost.apps.facts import Facts, SourcedFigure
from hashcost.apps.references import Reference
from hashcost.apps.refusals import RULES
from hashcost.core.algorithms import MAXMEM, MemoryLimit, guess_memory, scrypt_bytes
from hashcost.core.measurement import Params
from hashcost.core.text import joined

_IN_PYTHON: Final = {"libcrypt": "python:crypt", "hashlib": "python:hashlib"}
"""Libraries of this Python, by the name that they have in another Python."""
_MEMORY_LIMIT: Final = re.compile(r"\b(\w++)\s*+[=:]\s*+<scrypt_bytes\b")
_PLACE: Final = re.compile(
    r"<(?P<name>[a-z][a-z_]*)(?: as (?P<unit>\w+))?(?: if above (?P<least>[0-9]+))?>"
)


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
