"""What `calibrate hashers` shows: every hasher, and whether it works here."""

from __future__ import annotations

import msgspec

from hashcost.core.model import Knob
from hashcost.render.document import Column, Document, Row, Table


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


def hashers_document(listings: tuple[Listing, ...]) -> Document:
    """A row per hasher and implementation."""
    return Document(
        tables=(
            Table(
                columns=(
                    Column(title="hasher"),
                    Column(title="version", flexible=True),
                    Column(title="knob", flexible=True, pairs=True),
                    Column(title="range", flexible=True, pairs=True),
                    Column(title="here"),
                ),
                rows=tuple(
                    Row(
                        cells=(
                            listing.label,
                            listing.version or "-",
                            ", ".join(knob.name for knob in listing.knobs) or "-",
                            ", ".join(f"{knob.minimum}..{knob.maximum}" for knob in listing.knobs)
                            or "-",
                            "no"
                            if not listing.available
                            else "default"
                            if listing.default
                            else "yes",
                        )
                    )
                    for listing in listings
                ),
            ),
        ),
        foot=tuple(
            f"{listing.label}: {listing.reason}" for listing in listings if not listing.available
        ),
        fields=(
            "hasher",
            "implementation",
            "version",
            "available",
            "reason",
            "default",
            "knobs",
            "minimum",
            "maximum",
        ),
        records=tuple(
            {
                "hasher": listing.hasher,
                "implementation": listing.implementation,
                "version": listing.version,
                "available": listing.available,
                "reason": listing.reason,
                "default": listing.default,
                "knobs": " ".join(knob.name for knob in listing.knobs),
                "minimum": " ".join(str(knob.minimum) for knob in listing.knobs),
                "maximum": " ".join(str(knob.maximum) for knob in listing.knobs),
            }
            for listing in listings
        ),
        value=listings,
    )
