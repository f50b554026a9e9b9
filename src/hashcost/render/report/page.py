"""What a report says, before it is laid out: words, tables, charts and files to keep."""

import msgspec

from hashcost.render.document import Table
from hashcost.render.plot.chart import Chart


class Fact(msgspec.Struct, frozen=True, kw_only=True):
    """One figure to be seen at once: what it is of, itself, and what is to know of it."""

    name: str
    figure: str
    remark: str = ""


class Picture(msgspec.Struct, frozen=True, kw_only=True):
    """A chart, and in ``words`` what it shows, for whoever does not see it."""

    chart: Chart
    words: str


class Download(msgspec.Struct, frozen=True, kw_only=True):
    """A file that the page carries within itself."""

    name: str
    title: str
    media_type: str
    content: bytes


class Caution(msgspec.Struct, frozen=True, kw_only=True):
    """Something that the reader should know of what was measured, and the cure."""

    about: str
    message: str
    advice: str = ""


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """One matter under a heading.

    ``behind`` are tables that only some will want to see: they are folded.
    """

    title: str
    paragraphs: tuple[str, ...] = ()
    terms: tuple[tuple[str, str], ...] = ()
    tables: tuple[Table, ...] = ()
    pictures: tuple[Picture, ...] = ()
    notes: tuple[str, ...] = ()
    behind: tuple[Table, ...] = ()
    downloads: tuple[Download, ...] = ()


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """What one file says: the answer in plain words, then part by part."""

    title: str
    origin: str
    facts: tuple[Fact, ...] = ()
    summary: tuple[str, ...] = ()
    cautions: tuple[Caution, ...] = ()
    parts: tuple[Part, ...] = ()


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """A whole report: ``common`` stands before the sections, where there are several."""

    title: str
    sections: tuple[Section, ...]
    common: tuple[Part, ...] = ()
    written_by: str = ""
