"""What a command shows, before any format: words, a grid of text, records, a value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import msgspec

Scalar: TypeAlias = str | int | float | bool | None


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column of the grid; only a ``flexible`` one may break its text over lines.

    One of ``pairs`` breaks after a comma alone, so that a name keeps its figure.
    """

    title: str
    right: bool = False
    flexible: bool = False
    bold: bool = False
    pairs: bool = False


@dataclass(frozen=True, kw_only=True)
class Row:
    """Cells of formatted text; an ``aside`` explains the row above it."""

    cells: tuple[str, ...]
    aside: bool = False


@dataclass(frozen=True, kw_only=True)
class Table:
    """A grid of text with a title above it, where it needs one."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    title: str = ""


@dataclass(frozen=True, kw_only=True)
class Document:
    """The same content for people (head, tables, notes, foot) and for programs.

    ``notes`` explain the tables, ``foot`` says what went wrong. ``records`` are flat
    and in base units, one a line of CSV; ``value`` is what JSON prints.
    """

    tables: tuple[Table, ...]
    fields: tuple[str, ...]
    records: tuple[dict[str, Scalar], ...]
    value: msgspec.Struct | tuple[msgspec.Struct, ...]
    head: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    foot: tuple[str, ...] = ()
