"""Lines such as ``NAME=value``, ``NAME value`` and ``name: value``: dotenv, login.defs and kin."""

import re
from collections.abc import Iterator

from hashcost.apps.files.lines import Entry, joined_lines

_LINE = re.compile(
    r"\s*(?:export\s+)?(?P<name>[A-Za-z_][A-Za-z0-9_.-]*)(?P<by>\s*=\s*|\s*:\s+|\s+)(?P<value>.*?)\s*"
)
_QUOTED = re.compile(r"""(["'])(?P<text>.*?)\1\s*(?:#.*)?""")


def assignments(text: str, *, by: str, comment: str = "#") -> Iterator[Entry]:
    """Every assignment in the order of the file.

    ``by`` is what stands between name and value: ``=``, ``:`` or a space. A line that
    ends in a backslash goes on in the next.
    """
    for number, line in joined_lines(text):
        if line.lstrip().startswith(comment):
            continue
        match = _LINE.fullmatch(line)
        if match is not None and match["by"].strip() == by.strip():
            yield Entry(match["name"], _value(match["value"], comment), number)


def _value(text: str, comment: str) -> str:
    quoted = _QUOTED.fullmatch(text)
    if quoted is not None:
        return quoted["text"]
    return re.split(rf"\s{re.escape(comment)}", text, maxsplit=1)[0].strip()
