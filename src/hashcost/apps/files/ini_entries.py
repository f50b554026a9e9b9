"""INI: sections, keys and values, each with its line, as configparser reads them."""

from __future__ import annotations

import configparser
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from hashcost.core.errors import UnreadableInputError, printable

LARGEST = 1024 * 1024
"""Characters."""
_TOP = "\0"
"""The section of what stands above the first one; no text here has that character."""


@dataclass(frozen=True)
class Entry:
    """A key of a section ("" above the first one), its value and its line."""

    section: str
    name: str
    value: str
    line: int


def entries(
    text: str,
    *,
    inline_comments: tuple[str, ...] = ("#", ";"),
    folded: bool = True,
    bare_keys: bool = False,
) -> tuple[Entry, ...]:
    """Every entry in the order of the file; nothing is interpolated, and case is kept.

    A section or a key may come again. After a space, ``inline_comments`` end a value.
    ``folded`` says that an indented line goes on the value above it, ``bare_keys``
    that a key may stand without a value; it is no entry then.

    Raises:
        UnreadableInputError: it is no INI.
    """
    if len(text) > LARGEST:
        raise UnreadableInputError(f"this INI has more than {LARGEST:,} characters")
    if "\0" in text:
        raise UnreadableInputError("no INI: it has a NUL character")
    line = 0
    sections: list[tuple[str, object]] = []
    found: list[tuple[object, str, list[str], int]] = []

    class Remembering(dict[str, object]):
        """What configparser keeps sections and entries in, with the line of each."""

        def __setitem__(self, name: str, value: object) -> None:
            if isinstance(value, Remembering):
                sections.append((name, value))
            elif isinstance(value, list):
                found.append((self, name, value, line))
            super().__setitem__(name, value)

    def numbered() -> Iterator[str]:
        nonlocal line
        yield f"[{_TOP}]\n"
        for line, each in enumerate(text.splitlines(), 1):  # noqa: B007 - read by the dictionaries
            yield (each if folded else each.strip()) + "\n"

    parser = configparser.RawConfigParser(
        dict_type=cast("type[Mapping[str, str]]", Remembering),
        strict=False,
        inline_comment_prefixes=inline_comments,
        default_section=_TOP * 2,
        empty_lines_in_values=False,
        allow_no_value=bare_keys,
    )
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    try:
        parser.read_file(numbered())
    except configparser.ParsingError as error:
        at = error.errors[0][0] - 1 if error.errors else line
        raise UnreadableInputError(f"line {at}: no INI: neither a section nor a key") from error
    except (configparser.Error, AttributeError, TypeError) as error:
        raise UnreadableInputError(
            f"line {line}: no INI: {printable(str(error))[:120]}"
        ) from error
    return tuple(
        Entry(_section_of(kept, sections), name, "\n".join(value).strip(), at)
        for kept, name, value, at in found
    )


def _section_of(kept: object, sections: list[tuple[str, object]]) -> str:
    name = next(name for name, each in sections if each is kept)
    return "" if name == _TOP else name
