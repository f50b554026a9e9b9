"""Lines such as ``NAME=value``, ``NAME value`` and ``name: value``: dotenv, login.defs and kin."""

import re
from collections.abc import Iterator

from hashcost.apps.files.lines import Entry, joined_lines

_EXPORTED = re.compile(r"export\s+(?=[A-Za-z_])")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*+")
_QUOTED = re.compile(r"""(["'])(?P<text>.*?)\1\s*(?:#.*)?""")


def assignments(text: str, *, by: str, comment: str = "#") -> Iterator[Entry]:
    """Every assignment in the order of the file.

    ``by`` is what stands between name and value: ``=``, ``:`` or a space. A line that
    ends in a backslash goes on in the next.
    """
    for number, line in joined_lines(text):
        if line.lstrip().startswith(comment):
            continue
        found = _parts(line)
        if found is not None and found[1] == by.strip():
            yield Entry(found[0], _value(found[2], comment), number)


def _parts(line: str) -> tuple[str, str, str] | None:
    """The name, what stands behind it, and the value."""
    text = line.lstrip()
    exported = _EXPORTED.match(text)
    match = _NAME.match(text, 0 if exported is None else exported.end())
    if match is None:
        return None
    rest = text[match.end() :]
    after = rest.lstrip()
    if after[:1] == "=" or (after[:1] == ":" and after[1:2].isspace()):
        return match[0], after[0], after[1:].strip()
    return (match[0], "", after.rstrip()) if rest[:1].isspace() else None


def _value(text: str, comment: str) -> str:
    quoted = _QUOTED.fullmatch(text)
    if quoted is not None:
        return quoted["text"]
    return re.split(rf"\s{re.escape(comment)}", text, maxsplit=1)[0].strip()
