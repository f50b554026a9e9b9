"""PHP between HTML: the grammar takes only PHP, so the rest becomes blanks. Pure."""

import re

_OPENS = re.compile(r"<\?(?:php\b|=)", re.IGNORECASE)
_TOKEN = re.compile(r"""['"`]|/\*|\#(?!\[)|//|<<<[ \t]*["']?(?P<mark>\w{1,64})["']?\n|\?>""")
_ESCAPED = {quote: re.compile(rf"(?:[^{quote}\\]|\\.)*", re.DOTALL) for quote in "'\"`"}


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
    """Where PHP ends after a position: at its mark, outside of strings and comments.

    What is opened and never closed reaches to the end, so that each part is read once.
    """
    while (token := _TOKEN.search(text, start)) is not None:
        found = token[0]
        if found == "?>":
            return token.start()
        start = _after(text, token)
    return len(text)


def _after(text: str, token: re.Match[str]) -> int:
    """Where a string or a comment ends that a token opens."""
    found, start = token[0], token.end()
    if found in _ESCAPED:
        whole = _ESCAPED[found].match(text, start)
        return len(text) if whole is None else whole.end() + 1
    if found == "/*":
        end = text.find("*/", start)
        return len(text) if end < 0 else end + 2
    if token["mark"] is not None:
        end = text.find(token["mark"], start)
        while end >= 0 and text[text.rfind("\n", 0, end) + 1 : end].strip():
            end = text.find(token["mark"], end + 1)
        return len(text) if end < 0 else end + len(token["mark"])
    line = text.find("\n", start)
    close = text.find("?>", start, len(text) if line < 0 else line)
    return close if close >= 0 else len(text) if line < 0 else line


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)
