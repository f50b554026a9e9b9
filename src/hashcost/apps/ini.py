"""INI: sections, keys and values, each with its line, as configparser reads them."""

import configparser
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from hashcost.apps.text import Entry
from hashcost.core.errors import UnreadableInputError, at_line
from hashcost.core.text import printable

LARGEST = 1024 * 1024
"""Characters."""
_NUL = "\0"
"""Names what no file can: the section above the first one, and the line behind a key."""
_HEADER = re.compile(r"\[[^]]+\]\s*(?:[#;].*)?")


class _Parser(configparser.RawConfigParser):
    """Tells options at the first delimiter, for which Python's looks from each space of a run."""

    OPTCRE = re.compile(r"(?P<option>[^=:]*+)(?P<vi>[=:])\s*+(?P<value>.*)$")
    OPTCRE_NV = re.compile(r"(?P<option>[^=:]*+)(?:(?P<vi>[=:])\s*+(?P<value>.*))?$")


def is_ini(text: str) -> bool:
    """Whether the first line that says something opens a section."""
    lines = (line.strip() for line in text[:LARGEST].splitlines())
    first = next((line for line in lines if line and line[0] not in "#;"), "")
    return _HEADER.fullmatch(first) is not None


def entries(
    text: str,
    *,
    inline_comments: tuple[str, ...] = ("#", ";"),
    folded: bool = True,
    bare_keys: bool = False,
    as_python: bool = False,
    first_line: int = 1,
) -> tuple[Entry, ...]:
    """Every entry in the order of the file; nothing is interpolated, and case is kept.

    A section or a key may come again. After a space, ``inline_comments`` end a value.
    ``folded`` says that an indented line continues the value above it, ``bare_keys``
    that a key may stand without a value; it is left out. ``as_python`` refuses a section
    that comes again, and lets comments and empty lines stand inside a folded value.

    Raises:
        UnreadableInputError: it is not INI.
    """
    if len(text) > LARGEST:
        raise UnreadableInputError(f"this INI has more than {LARGEST:,} characters; shorten it")
    if _NUL in text:
        raise UnreadableInputError("not INI: it has a NUL character; remove it")
    line = first_line

    def numbered() -> Iterator[str]:
        nonlocal line
        yield f"[{_NUL}]\n"
        for line, each in enumerate(text.splitlines(), first_line):  # noqa: B007 - read below
            yield (each if folded else each.strip()) + "\n"

    parser = _Parser(
        strict=as_python,
        inline_comment_prefixes=inline_comments,
        default_section=_NUL * 2,
        empty_lines_in_values=as_python,
        allow_no_value=bare_keys,
    )
    parser.optionxform = lambda name: f"{name}{_NUL}{line}"  # type: ignore[assignment, method-assign]
    try:
        parser.read_file(numbered())
    except configparser.ParsingError as error:
        at = error.errors[0][0] + first_line - 2 if error.errors else line
        raise at_line(at, "not INI: neither a section nor a key") from error
    except configparser.DuplicateSectionError as error:
        section = printable(error.section)[:60]
        raise at_line(line, f"section {section} appears twice") from error
    except (configparser.Error, AttributeError, TypeError) as error:
        raise at_line(line, f"not INI: {printable(str(error))[:120]}") from error
    found = []
    for section in parser.sections():
        for key, value in parser.items(section):
            name, _, number = key.partition(_NUL)
            if value is not None:
                found.append(Entry(name, value.strip(), int(number), section.strip(_NUL)))
    return tuple(sorted(found, key=lambda entry: entry.line))


def read_section(text: str, section: str, *, first_line: int = 1) -> Mapping[str, Entry]:
    """The options of a section and of DEFAULT by their names in lower case, as Python reads them.

    Values are not interpolated: ``%%`` is a per cent sign, and a reference to another
    option stays as it is written.

    Raises:
        UnreadableInputError: it is not INI, or sets an option twice.
    """
    found: dict[tuple[str, str], Entry] = {}
    for each in entries(text, inline_comments=(), as_python=True, first_line=first_line):
        key = (each.section, each.name.lower())
        if key in found or not each.section:
            wrong = "is set twice" if key in found else "stands above the first section"
            raise at_line(each.line, f"{printable(each.name)[:60]} {wrong}")
        found[key] = replace(each, value=each.value.replace("%%", "%"))
    inherited, own = (
        {name: each for (where, name), each in found.items() if where == wanted}
        for wanted in (configparser.DEFAULTSECT, section)
    )
    return inherited | own if own else {}
