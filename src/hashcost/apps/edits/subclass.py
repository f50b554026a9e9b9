"""A subclass with the cost in the place of a stock class that a list names, as Django's. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_CLASS: Final = re.compile(r"^class (?P<own>\w+)\([\w.]*?(?P<stock>\w+)\):$", re.MULTILINE)
_LIST: Final = re.compile(r"^(?P<name>\w+) = \[\s*(?P<first>[^\s,]+),", re.MULTILINE)


def subclassed(text: str, snippet: str, head: Sequence[str]) -> str | None:
    """The text with the snippet's class above the list, and named in it for the stock class.

    Returns:
        None if the list is not at the outer level, or names no such class.
    """
    made, listed = _CLASS.search(snippet), _LIST.search(snippet)
    if made is None or listed is None:
        return None
    stock = re.compile(rf"(?P<quote>[\"'])[\w.]+\.{made['stock']}(?P=quote)")
    for assigned in re.finditer(rf"^{listed['name']}\b[^\n=]*=", text, re.MULTILINE):
        named = stock.search(text, assigned.end())
        if named is not None:
            newline = "\r\n" if "\r\n" in text else "\n"
            lines = [*head, *snippet[: listed.start()].splitlines()]
            above = "".join(each + newline for each in lines)
            between = text[assigned.start() : named.start()]
            rest = text[named.end() :]
            return text[: assigned.start()] + above + between + listed["first"] + rest
    return None
