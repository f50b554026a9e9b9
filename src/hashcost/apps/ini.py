"""INI: sections, keys and values, each with its line; nothing is interpolated."""

import configparser
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from hashcost.apps.text import Entry
from hashcost.core.errors import at_line
from hashcost.core.text import printable

_HEADER: Final = re.compile(r"\[(?P<section>[^]]+)\]")
_DELIMITER: Final = re.compile(r"[=:]")
_COMMENT: Final = re.compile(r"(?<=\s)[#;].*")
_OVER_LINES: Final = re.compile(r'\s*("""|`)')


def is_ini(text: str) -> bool:
    """Whether the first line that is neither empty nor a comment opens a section."""
    lines = (line.strip() for line in text.splitlines())
    first = next((line for line in lines if line and line[0] not in "#;"), "")
    return _HEADER.match(first) is not None


def entries(text: str, *, as_python: bool = False) -> tuple[Entry, ...]:
    """Every entry in the order of the file; a section or a key may come again.

    A comment may follow a value, and a key without a value is left out. ``as_python``
    instead refuses such a key, takes the whole line for the value, and continues it with
    lines that are indented further. Otherwise a value may go over lines in Go's quotes.

    Raises:
        UnreadableInputError: a line is neither a section nor a key, or a quote does not end.
    """
    read: list[tuple[Entry, list[str]]] = []
    section, key_indent, quote = "", None, ""
    for number, line in enumerate(text.splitlines(), 1):
        plain = line.strip()
        if quote:
            quote = "" if quote in line else quote
            continue
        indent = len(line) - len(line.lstrip())
        if not plain or plain[0] in "#;":
            continue
        if as_python and key_indent is not None and indent > key_indent:
            read[-1][1].append(plain)
        elif (header := _HEADER.match(plain)) is not None:
            section, key_indent = header["section"], None
        elif (delimiter := _DELIMITER.search(plain)) is not None:
            name, value = plain[: delimiter.start()].strip(), plain[delimiter.end() :]
            opens = None if as_python else _OVER_LINES.match(value)
            if opens is not None and opens[1] not in value[opens.end() :]:
                quote = opens[1]
            elif not as_python:
                value = _COMMENT.sub("", value)
            read.append((Entry(name, "", number, section), [value.strip()]))
            key_indent = indent
        elif as_python:
            raise at_line(number, "not INI: neither a section nor a key")
    if quote:
        raise at_line(read[-1][0].line, f"not INI: {quote} that does not end")
    return tuple(replace(entry, value="\n".join(parts)) for entry, parts in read)


def read_section(text: str, section: str) -> Mapping[str, Entry]:
    """The options of a section and of DEFAULT by their names in lower case, as Python reads them.

    ``%%`` is a per cent sign, and a reference to another option stays as it is written.

    Raises:
        UnreadableInputError: it is not INI, or sets an option twice.
    """
    options: dict[str, dict[str, Entry]] = {configparser.DEFAULTSECT: {}, section: {}}
    for entry in entries(text, as_python=True):
        here = options.setdefault(entry.section, {})
        if entry.name.lower() in here or not entry.section:
            wrong = "is set twice" if entry.section else "stands above the first section"
            raise at_line(entry.line, f"{printable(entry.name)[:60]} {wrong}")
        here[entry.name.lower()] = replace(entry, value=entry.value.replace("%%", "%"))
    return options[configparser.DEFAULTSECT] | options[section] if options[section] else {}
