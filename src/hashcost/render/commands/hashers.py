"""What `calibrate hashers` shows: every hasher, and whether it works here."""

from typing import Final

import msgspec

from hashcost.core.measurement import Knob
from hashcost.render.document import Column, Document, Fields, own, records, table


class Listing(msgspec.Struct, frozen=True, kw_only=True):
    """One hasher as it is here."""

    hasher: str
    implementation: str
    version: str | None
    available: bool
    reason: str | None
    """Why it is not available."""
    default: bool
    """Whether it runs when no hasher is named."""
    knobs: tuple[Knob, ...]

    @property
    def label(self) -> str:
        """``hasher@implementation``."""
        return f"{self.hasher}@{self.implementation}"


_FIELDS: Final[Fields[Listing]] = {
    **own("hasher", "implementation", "version", "available", "reason", "default"),
    "knobs": lambda listing: " ".join(knob.name for knob in listing.knobs),
    "minimum": lambda listing: " ".join(str(knob.minimum) for knob in listing.knobs),
    "maximum": lambda listing: " ".join(str(knob.maximum) for knob in listing.knobs),
}


def hashers_document(listings: tuple[Listing, ...]) -> Document:
    """A row per hasher and implementation."""
    return Document(
        tables=(
            table(
                listings,
                (Column("hasher"), lambda listing: listing.label),
                (Column("version", flexible=True), lambda listing: listing.version or "-"),
                (
                    Column("knob", flexible=True),
                    lambda listing: ", ".join(knob.name for knob in listing.knobs) or "-",
                ),
                (
                    Column("range", flexible=True),
                    lambda listing: (
                        ", ".join(f"{knob.minimum}..{knob.maximum}" for knob in listing.knobs)
                        or "-"
                    ),
                ),
                (Column("here"), _here),
            ),
        ),
        foot=tuple(
            f"{listing.label}: {listing.reason}" for listing in listings if not listing.available
        ),
        fields=tuple(_FIELDS),
        records=records(listings, _FIELDS),
        value=listings,
    )


def _here(listing: Listing) -> str:
    if not listing.available:
        return "no"
    return "default" if listing.default else "yes"
