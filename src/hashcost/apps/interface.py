"""What must be known of an application so that its cost can be read, judged and written.

Each application is one file that exports ``APP``; ``registry.py`` lists them. See
``laravel.py`` for a short example.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from hashcost.core.model import Params


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What an application accepts of one param, in the hasher's own terms.

    Below ``minimum`` or above ``maximum`` it refuses the value, or silently uses
    another: ``beyond`` says which, and ``above`` where the maximum differs. Where
    ``allowed`` is not empty it takes these alone, and else multiples of ``step``.
    Where not ``enforced`` it takes others too, which those that it works with refuse.
    """

    minimum: int
    maximum: int
    beyond: str = "refused"
    allowed: tuple[int, ...] = ()
    step: int = 1
    above: str = ""
    enforced: bool = True

    @property
    def choices(self) -> str:
        """What is allowed alone, in words; empty where everything in the range is."""
        powers = tuple(2**exponent for exponent in range(64))
        if len(self.allowed) > 3 and {*self.allowed} <= {*powers}:
            return f"powers of two from {min(self.allowed)} to {max(self.allowed)}"
        return ", ".join(map(str, self.allowed))

    def nearest(self, value: int) -> int:
        """The highest value that holds and is not above this one, or the lowest that holds."""
        legal = [each for each in self.allowed if self.minimum <= each <= self.maximum]
        if not legal:
            held = min(max(value, self.minimum), self.maximum)
            return held - held % self.step
        return max((each for each in legal if each <= value), default=min(legal))


@dataclass(frozen=True, kw_only=True)
class Default:
    """What an application uses from a release on, where nothing is configured.

    ``blocks`` is how many output blocks of PBKDF2 it computes, where not the scheme's.
    """

    since: str
    params: Params
    source: str
    blocks: int | None = None


@dataclass(frozen=True, kw_only=True)
class Timing:
    """Which implementation here stands for the application's own.

    ``factor`` is how many times as long the application takes for the same cost, and
    ``source`` where that is from; 1 with the application's own library.
    """

    implementation: str
    factor: float = 1.0
    source: str = ""

    @property
    def is_its_own(self) -> bool:
        """Whether the application runs this very library."""
        return not self.source


Write: TypeAlias = Callable[[Params], str]
"""The text that configures a cost, without the comment at its head."""


def refuses_nothing(params: Params) -> str:
    """For a scheme whose params do not depend on each other."""
    return ""


@dataclass(frozen=True, kw_only=True)
class Scheme:
    """One algorithm that an application can use.

    ``keys`` names the setting of each param that can be configured, with its unit
    where that is not the hasher's own. ``blocks`` is how many output blocks of PBKDF2
    each hash computes, unless the file sets the length of the key. ``refuses`` says why
    the application does not take params together that are each within their limits;
    nothing where it takes them.
    """

    hasher: str
    library: str
    """What the application hashes with, in words."""
    timing: Timing | None
    """None where no implementation here comes near it."""
    keys: Mapping[str, str]
    limits: Mapping[str, Limits]
    write: Write
    defaults: tuple[Default, ...] = ()
    """From the oldest release to the newest; none where nothing is hashed unless configured."""
    blocks: int = 1
    client_side: bool = False
    """Whether the client computes the hash, so that its speed counts (SCRAM)."""
    note: str = ""
    refuses: Callable[[Params], str] = refuses_nothing


@dataclass(frozen=True, kw_only=True)
class Found:
    """A cost that a file configures.

    ``params`` are those that the file sets: what it leaves out, or all of it where
    the file but names the hasher, is the application's default.

    ``wins`` says whether it is the one that the application uses, and ``why``, in
    words, where there are several, or where the application makes something else of
    what is written (``written`` then shows that). ``blocks`` is how many output blocks
    of PBKDF2 the length of the key makes, where the file sets that.
    """

    hasher: str
    params: Params
    line: int
    wins: bool = True
    why: str = ""
    written: str = ""
    blocks: int | None = None


Read: TypeAlias = Callable[[str], tuple[Found, ...]]
"""Every cost in the text of a file, in its order; none where it configures none.

Raises `hashcost.core.errors.UnreadableInputError` where the text is not what it should be.
"""


@dataclass(frozen=True, kw_only=True)
class App:
    """An application, or a library that applications hash with.

    ``comment`` is a line of comment in the file that the snippet goes into, with ``{}``
    for its text. ``places`` are where that file usually is, relative ones below the
    folder that the user is in. ``rehashes`` says when stored hashes follow the setting.
    """

    name: str
    title: str
    schemes: tuple[Scheme, ...]
    """The one that the application uses unless told otherwise first."""
    comment: str
    read: Read
    places: tuple[str, ...]
    rehashes: str
    sources: tuple[str, ...]
    package: str | None = None
    """The Python package whose installed version decides on a default."""
    note: str = ""

    def scheme(self, hasher: str | None) -> Scheme | None:
        """The scheme of a hasher, or the first; none where the application has not that one."""
        if hasher is None:
            return self.schemes[0]
        return next((each for each in self.schemes if each.hasher == hasher), None)


@dataclass(frozen=True, kw_only=True)
class Untunable:
    """An application whose hashes have no cost to set, and what can be done instead."""

    name: str
    title: str
    what: str
    instead: str
    sources: tuple[str, ...]
