"""Text from others, escaped so that no terminal and no CI job obeys it."""

import os
import re
from collections.abc import Collection, Iterable
from operator import itemgetter
from typing import Final

WITHHELD: Final = "(not shown: it may be a secret)"

_SHORT: Final = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}
# Python's surrogates for bytes.
_NOT_UTF_8: Final = range(0xDC80, 0xDD00)
# ``##[error]`` of GitHub and Azure, ``##vso[`` of Azure, ``##teamcity[``.
_COMMAND_ANYWHERE: Final = re.compile(r"#(?=#\w*\[)")
# ``::error::`` of GitHub.
_COMMAND_AT_START: Final = re.compile(r"^([^\S\n]*):(?=:)", re.MULTILINE)
_UNUSUAL: Final = re.compile(r"\r\n|[^\n\t -~]")
_OURS: Final = ("\r\n", "\N{NO-BREAK SPACE}", "\N{FIGURE SPACE}")
# A backslash, or a byte that is not UTF-8.
_BYTE: Final = re.compile(r"\\(?:\\|x([89a-f][0-9a-f]))")
# Names that a hint offers: more would fill the line.
_MOST_NEAR: Final = 4
_LETTERS_A_SLIP: Final = 3
"""So many letters of a name for each slip that a misspelling of it may have."""
# Messages consist of such words, which no system takes for a password (NIST SP 800-63B: 8
# characters at least). Typed, they stand in a message beside a mark or at its end.
_ORDINARY_WORD: Final = re.compile("[a-z]{1,7}|[0-9]{1,3}")
# Fewest characters of a text that a message shows before it cuts it.
_SHORTEST_CUT: Final = 20


AT_EACH_REQUEST: Final = "HTTP Basic authentication hashes at each request that no cache answers"
IF_AT_EACH_REQUEST: Final = (
    "if it is for HTTP Basic authentication, each request that no cache answers hashes"
)
"""A word on a hash that a web server checks, whose time is not only that of a login."""


def escaped(text: str) -> str:
    r"""Escape every character that is not visible, and change nothing else.

    A byte that is not UTF-8 becomes ``\xff``, a control character ``\x1b``, any other
    invisible one ``\u202e``. No line is left that a CI job obeys, except at its start.
    """
    if not text.isprintable():
        text = "".join(c if c.isprintable() else _escape(c) for c in text)
    return _COMMAND_ANYWHERE.sub(r"\\x23", text) if "##" in text else text


def _escape(character: str) -> str:
    code = ord(character)
    if code in _NOT_UTF_8:
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x80:
        return _SHORT.get(character, f"\\x{code:02x}")
    if code < 0x10000:
        return f"\\u{code:04x}"
    return f"\\U{code:08x}"


def printable(text: str) -> str:
    """Write a text on one line, with every invisible character escaped."""
    return escaped(" ".join(text.split()))


def harmless(text: str, *, colored: bool = False, commands: bool = False) -> str:
    """Escape what a terminal or a CI job would obey in lines of text: the last step of any output.

    Our own colours stay if it is ``colored``, and lines for GitHub if it is made of
    ``commands``: what others wrote was escaped before they were put in.
    """

    def shown(match: re.Match[str]) -> str:
        character = match[0]
        is_ours = character in _OURS or (colored and character == "\x1b")
        return character if is_ours or character.isprintable() else _escape(character)

    text = _UNUSUAL.sub(shown, text)
    if commands:
        return text
    return _COMMAND_AT_START.sub(r"\1\\x3a", _COMMAND_ANYWHERE.sub(r"\\x23", text))


def path_name(path: str | os.PathLike[str]) -> str:
    """Write a path as text, unambiguously, whatever bytes its name has."""
    text = os.fspath(path)
    # Where a backslash parts folders, no name has one.
    if os.sep == "/":
        text = text.replace("\\", r"\\")
    return escaped(text)


def name_bytes(text: str) -> bytes:
    """Give back the bytes of a path that `path_name` has written."""
    # Python has a surrogate for each byte that is no text, which its codecs turn back.
    as_python = _BYTE.sub(lambda match: rf"\udc{match[1]}" if match[1] else match[0], text)
    unescaped = as_python.encode("ascii", "backslashreplace").decode("unicode_escape", "replace")
    return unescaped.encode(errors="surrogateescape")


def quoted(text: str, longest: int = 48) -> str:
    """Quote a text that the user typed, short and on one line."""
    # No more than can be shown is looked at, since a text may have megabytes.
    line = printable(text[: 4 * longest])
    if len(line) > longest:
        line = f"{line[: longest - 1]}…"
    if "\\" in line:  # It is escaped already.
        return f"'{line}'"
    return repr(line)


def without(message: str, texts: Iterable[str]) -> str:
    """Take texts out of a message, also where it shows only the beginning of a long one."""
    patterns = []
    for text in filter(str.strip, texts):
        for whole in (printable(text), path_name(os.path.normpath(text))):
            pattern = rf"(?<!\w){re.escape(whole)}(?![\w=])"
            if _ORDINARY_WORD.fullmatch(whole):
                # The message may have this word of its own: "that is not a cost".
                pattern = rf"(?<=['\"`(]){whole}(?!\w)|(?<!\w){whole}(?=['\"`:…]|$)"
            elif len(whole) > _SHORTEST_CUT:
                pattern = re.escape(whole[: len(message)])
                pattern += f"|{re.escape(whole[:_SHORTEST_CUT])}[^…]*"
            patterns.append(pattern)
    if not patterns:
        return message
    # All at once: what stands for one text may have the words of another.
    return re.sub("|".join(patterns), WITHHELD, message)


def hint(name: str, names: Collection[str], otherwise: str = "") -> str:
    """Say what to write for ``name``: names that contain it, its words, or the one most like it.

    If no name is like it, the hint is ``otherwise``, or all names.
    """
    typed = name.lower()
    dashed = typed.replace("_", "-")
    # A single letter is part of many names.
    near = [
        other for other in names if len(typed) > 1 and dashed in other.lower().replace("_", "-")
    ]
    if not near:
        # A name of several words may have another's as one of them: "spring-security".
        words = re.findall(r"[^\W_]{3,}", typed)
        near = [other for other in names if other.lower() in words]
    if len(near) > _MOST_NEAR:
        # Whoever types the beginning of a name means one of those that have it.
        near = [other for other in near if other.lower().startswith(typed)]
    if not 0 < len(near) <= _MOST_NEAR:
        near = misspelt(typed, names)[:1]
    if near:
        return f"did you mean {either(near)}?"
    return otherwise or f"choose {either(names)}"


def misspelt(typed: str, names: Iterable[str]) -> list[str]:
    """List the names that a text may be a misspelling of, those with the fewest slips first.

    A slip is a letter too many, too few or wrong, or two that changed places. One in three letters
    may be a slip: with more, other words are as near as the one that was meant.
    """
    # To difflib, ``hlep`` is no nearer to ``help`` than ``couchbase`` is to ``couchdb``.
    near = []
    for name in names:
        most = max(len(typed), len(name)) // _LETTERS_A_SLIP
        # The lengths alone tell of most; a long text is never compared.
        if abs(len(typed) - len(name)) > most:
            continue
        slips = _slips(typed.lower(), name.lower())
        if slips <= most:
            near.append((slips, name))
    # The sort is stable: of equals, the first stays the first.
    return [name for _, name in sorted(near, key=itemgetter(0))]


def _slips(typed: str, name: str) -> int:
    """Count the fewest slips that turn one text into the other (optimal string alignment)."""
    before_last: list[int] = []
    last = list(range(len(name) + 1))
    for row, letter in enumerate(typed, 1):
        now = [row]
        for column, other in enumerate(name, 1):
            if letter == other:
                now.append(last[column - 1])
                continue
            slips = 1 + min(last[column], now[column - 1], last[column - 1])
            is_swapped = min(row, column) > 1 and typed[row - 2] == other
            if is_swapped and letter == name[column - 2]:
                slips = min(slips, 1 + before_last[column - 2])
            now.append(slips)
        before_last = last
        last = now
    return last[-1]


def either(names: Collection[str]) -> str:
    """Write names to choose one from: ``a, b or c``."""
    *others, last = names or ("none",)
    if not others:
        return last
    return f"{', '.join(others)} or {last}"


def joined(*whys: str) -> str:
    """Join reasons on one line, leaving out empty ones and repetitions."""
    distinct = dict.fromkeys(why for why in whys if why)
    return "; ".join(distinct)
