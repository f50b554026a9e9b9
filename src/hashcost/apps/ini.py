"""INI: sections, keys and values, each with its line; nothing is interpolated."""

import re
from typing import Final

from hashcost.apps.text import Entry, uncommented
from hashcost.core.errors import at_line

_HEADER: Final = re.compile(r"\[(?P<section>[^]]+)\]")
_DELIMITER: Final = re.compile(r"[=:]")
_COMMENT: Final = re.compile(r"(?<=\s)[#;].*")
_OVER_LINES: Final = re.compile(r'\s*("""|`)')


def is_ini(text: str) -> bool:
    """Whether the first line that is neither empty nor a comment opens a section."""
    for _, line in uncommented(text, ";"):
        return _HEADER.match(line.strip()) is not None
    return False


def entries(text: str) -> tuple[Entry, ...]:
    """Every entry in the order of the file; a section or a key may come again.

    A comment may follow a value, a key without a value is left out, and a value may go over
    lines in Go's quotes.

    Raises:
        UnreadableInputError: a quote does not end.
    """
    read = []
    section = ""
    quote = ""
    for number, line in enumerate(text.splitlines(), 1):
        plain = line.strip()
        # What looks like a setting inside of a text over lines is a part of that text.
        if quote:
            if quote in line:
                quote = ""
            continue
        if not plain or plain[0] in "#;":
            continue
        header = _HEADER.match(plain)
        if header is not None:
            section = header["section"]
            continue
        delimiter = _DELIMITER.search(plain)
        if delimiter is None:
            continue
        name = plain[: delimiter.start()].strip()
        value = plain[delimiter.end() :]
        opens = _OVER_LINES.match(value)
        if opens is not None and opens[1] not in value[opens.end() :]:
            quote = opens[1]
        else:
            value = _COMMENT.sub("", value)
        read.append(Entry(name, value.strip(), number, section))
    if quote:
        raise at_line(read[-1].line, f"not INI: {quote} that does not end")
    return tuple(read)
