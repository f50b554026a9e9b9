"""Tables of the files of applications, as values that know which keys they have."""

import datetime as dt

import msgspec


class Facts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table of an application's file. A key that it does not know is a mistake."""


class SourcedFigure(Facts, frozen=True, kw_only=True):
    """A fact that a user acts on, with its source and the day that it was last checked.

    If an application's file gives neither, a fact has those of the application.
    """

    source: str = ""
    checked: dt.date | None = None
