"""The costs that a reader finds in a file of an application."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from hashcost.core.errors import UndeterminedError
from hashcost.core.measurement import Params


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


Costs: TypeAlias = Iterable[Found]
"""Costs that a file sets, in any order."""
