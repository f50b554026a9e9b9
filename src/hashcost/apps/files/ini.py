"""Sections of INI files, with the line of each option."""

from __future__ import annotations

import configparser
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from hashcost.core.errors import UnreadableInputError, printable

LARGEST: Final = 1 << 19
"""Characters; no configuration comes near."""

_SECTION = re.compile(r"\[(?P<name>[^]]+)\]\s*(?:[#;].*)?")
_OPTION = re.compile(r"(?P<name>[^:=\s][^:=]*?)\s*[:=]")


@dataclass(frozen=True)
class Option:
    """A value, all its lines joined, and the line that it begins on."""

    value: str
    line: int


def is_ini(text: str) -> bool:
    """Whether the first line that says something opens a section."""
    for line in text[:LARGEST].splitlines():
        if line.strip() and not line.lstrip().startswith(("#", ";")):
            return _SECTION.fullmatch(line.rstrip()) is not None
    return False


def read_section(text: str, section: str, *, first_line: int = 1) -> Mapping[str, Option]:
    """The options of a section, without case; none where the file has no such section.

    Values are not interpolated: ``%%`` is a per cent sign, and a reference to another
    option stays as it is written.

    Raises:
        UnreadableInputError: it is no INI, or sets an option twice.
    """
    if len(text) > LARGEST:
        raise UnreadableInputError(f"it is larger than {LARGEST:,} characters")
    parser = configparser.RawConfigParser()
    try:
        parser.read_string(text)
    except configparser.DuplicateOptionError as error:
        line = (error.lineno or 0) + first_line - 1
        raise UnreadableInputError(
            f"line {line}: {printable(error.option)[:60]} is set twice"
        ) from None
    except configparser.Error as error:
        raise UnreadableInputError(f"no INI: {printable(str(error))[:120]}") from None
    if not parser.has_section(section):
        return {}
    lines = _lines(text, section)
    return {
        name: Option((value or "").replace("%%", "%"), lines.get(name, 1) + first_line - 1)
        for name, value in parser.items(section)
    }


def _lines(text: str, wanted: str) -> dict[str, int]:
    found: dict[str, int] = {}
    current = ""
    for number, line in enumerate(text.split("\n"), 1):
        section = _SECTION.match(line)
        option = _OPTION.match(line)
        if section is not None:
            current = section["name"]
        elif option is not None and current in (wanted, configparser.DEFAULTSECT):
            found.setdefault(option["name"].strip().lower(), number)
    return found
