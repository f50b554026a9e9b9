"""The text of a file as the grammar of its language takes it, on as many lines."""

import re
from typing import Final

_MACRO: Final = re.compile(
    r"\b(?:(?P<list>vec)|(?P<call>(?:e?print|write)(?:ln)?|format|panic|dbg|assert(?:_eq|_ne)?))!"
    r"(?=\s*+[(\[])"
)
"""A macro of Rust's library that takes expressions, which the grammar does not take apart."""
_HTML: Final = re.compile(
    r"""(?P<html>(?:\A|\?>).*?(?:<\?(?!xml\b)(?:php\b|=)?+|\Z))"""
    r"""|'(?:[^'\\]|\\.)*+'?|"(?:[^"\\]|\\.)*+"?|`(?:[^`\\]|\\.)*+`?|/\*.*?(?:\*/|\Z)"""
    r"""|(?:\#(?!\[)|//)(?:(?!\?>)[^\n])*+|<<<[ \t]*["']?(?P<mark>\w{1,64})["']?\n"""
    r"""(?:.*?^[ \t]*(?P=mark)|.*)""",
    re.MULTILINE | re.DOTALL | re.IGNORECASE,
)
"""Text outside of PHP's marks, or a text or comment of PHP that may hold such a mark."""


def text_for_grammar(text: str, language: str) -> str:
    """Write what a grammar does not read so that it leaves that out, or reads it."""
    if language == "php":
        return _HTML.sub(_blank, text)  # The grammar takes only PHP.
    if language == "rust":
        return _MACRO.sub(_as_expression, text)
    return text


def _as_expression(macro: re.Match[str]) -> str:
    """Write a macro as a list or a call, of the same length."""
    if macro["list"]:
        return " " * len(macro[0])
    return f"{macro['call']} "


def _blank(part: re.Match[str]) -> str:
    """Blank what is outside of PHP's marks, and keep the lines."""
    if part["html"] is None:  # A text or a comment of PHP.
        return part[0]
    return ";" + "\n" * part[0].count("\n")
