"""Files of settings that Helm or Jinja fills in, as far as the words around tell them. Pure."""

import re
from typing import Final, NamedTuple

_WHOLE_LINE: Final = re.compile(
    r"[ \t]*+(?:\{\{-?(?P<go>[^{}]*+)\}\}|\{%-?(?P<jinja>[^{}%]*+)%\})[ \t]*+"
)
_INLINE: Final = re.compile(r"\{\{[^{}]*+\}\}|\{%[^{}%]*+%\}")
_WORD: Final = re.compile(r"[ \t]*+(?P<word>/\*|[a-zA-Z]++)")
_OPENS: Final = frozenset(("block", "define", "for", "if", "macro", "range", "with"))
_DECIDES: Final = _OPENS - {"block", "define", "macro"}
_ENDS: Final = frozenset(("end", "endfor", "endif", "endmacro", "endblock", "endwith"))
_CHANGES_NOTHING: Final = frozenset(("/*", "else", "elif", "set"))


class Plain(NamedTuple):
    """A text without what a template fills in, on as many lines."""

    text: str
    under_conditions: frozenset[int]
    """The lines that are there only under a condition, or several times."""
    filled_in: tuple[int, ...]
    """The lines in whose place a template has others."""


def without_template(text: str) -> Plain:
    """Leave out the lines of a template, and put a word in place of each value of one."""
    lines = text.split("\n")
    under_conditions: set[int] = set()
    filled_in: list[int] = []
    blocks: list[bool] = []
    for index, line in enumerate(lines):
        whole = _WHOLE_LINE.fullmatch(line)
        if whole is None:
            lines[index] = _INLINE.sub("template", line)
            if any(blocks):
                under_conditions.add(index + 1)
            continue
        lines[index] = ""
        first = _WORD.match(whole["go"] or whole["jinja"] or "")
        word = first["word"] if first is not None else ""
        if word in _OPENS:
            blocks.append(word in _DECIDES)
        elif word in _ENDS:
            del blocks[-1:]
        elif word not in _CHANGES_NOTHING:
            filled_in.append(index + 1)
    return Plain("\n".join(lines), frozenset(under_conditions), tuple(filled_in))
