"""PHP between HTML: the grammar takes PHP alone, so the rest becomes blanks. Pure."""

from __future__ import annotations

import re

_OPENS = re.compile(r"<\?(?:php\b|=)", re.IGNORECASE)
_CLOSES = re.compile(
    r"'(?:\\.|[^'\\])*'"
    r'|"(?:\\.|[^"\\])*"'
    r"|/\*.*?\*/"
    r"|(?:\#(?!\[)|//)(?:(?!\?>)[^\n])*"
    r"|<<<[ \t]*([\"']?)(?P<mark>\w+)\1\n.*?\n[ \t]*(?P=mark)\b"
    r"|(?P<close>\?>)",
    re.DOTALL,
)


def without_html(text: str) -> str:
    """The text with everything outside of PHP's marks, and the marks, as blanks."""
    parts, at = [], 0
    while (opened := _OPENS.search(text, at)) is not None:
        parts += [_blank(text[at : opened.start()]), " " * (opened.end() - opened.start())]
        closed = _close(text, opened.end())
        parts.append(text[opened.end() : closed])
        if closed == len(text):
            return "".join(parts)
        parts.append("; ")
        at = closed + 2
    return "".join([*parts, _blank(text[at:])])


def _close(text: str, start: int) -> int:
    """Where PHP ends after a position: at its mark, outside of strings and comments."""
    for match in _CLOSES.finditer(text, start):
        if match["close"] is not None:
            return match.start()
    return len(text)


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)
