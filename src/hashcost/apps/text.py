"""Lines of configuration files, and what is set on them. Pure."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from hashcost.apps.found import Costs, Found
from hashcost.core.errors import UndeterminedError, at_line
from hashcost.core.text import joined, printable

_HIGHEST_DIGITS: Final = 18
_COUNT: Final = re.compile(r"[0-9](?:_?[0-9])*")
_ASSIGNMENT: Final = re.compile(
    r"""[^\S\n]*+(?:(?:export|-)[^\S\n]++)?(?P<name>[^\s=#]+?)"""
    r"""(?P<by>[^\S\n]*+=|[^\S\n]*+:(?=\s)|[^\S\n])[^\S\n]*+"""
    r"""(?P<string>"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.|'')*+')?(?P<rest>[^\n]*)""",
    re.DOTALL,
)


@dataclass(frozen=True)
class Entry:
    """A name, its value without quotes and comment, and the line that it begins on.

    ``section`` is that of an INI file, "" above the first one.
    """

    name: str
    value: str
    line: int
    section: str = ""


_ITEM_OF_CODE: Final = re.compile(
    r"[ \t]*+(?P<quote>[\"']?)(?P<word>[^,\"'\\]++)(?P=quote),[ \t]*+"
)
"""A word of a command that code writes as a list, one on each line."""


def joined_lines(text: str, *, command: str = "") -> Iterator[tuple[int, str]]:
    """Every line with the number of its first one; one that ends in a backslash goes on.

    A list in code, with a word on each line, goes on from the word that is the ``command``.
    """
    pending: list[str] = []
    start = 1
    is_list = False
    for number, line in enumerate(text.splitlines(), 1):
        if not pending:
            start = number
        item = None
        if command:
            item = _ITEM_OF_CODE.fullmatch(line)
        if item is not None and (is_list or item["word"] == command):
            is_list = True
            pending.append(f"{line} ")
            continue
        is_list = False
        # To a shell, a backslash in a comment continues nothing.
        if line.endswith("\\") and not line.lstrip().startswith("#"):
            pending.append(line[:-1])
            continue
        yield start, "".join([*pending, line])
        pending = []
    if pending:
        yield start, "".join(pending)


def line_at(text: str, position: int) -> int:
    """The number of the line that a character is on."""
    return text.count("\n", 0, position) + 1


def uncommented(text: str, *marks: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that are neither blank nor a comment, with their numbers.

    A comment begins with ``#`` or another of the marks.
    """
    begins = ("#", *marks)
    for number, line in enumerate(text.splitlines(), 1):
        words = line.strip()
        if words and not words.startswith(begins):
            yield number, line


def assignments(text: str, *, by: str = "=") -> Iterator[Entry]:
    """Every ``NAME=value``, ``NAME value`` or ``name: value``, also in a list, in their order.

    ``by`` has what may stand between name and value: ``=``, ``:`` or a space. As in
    python-dotenv, a value that begins with a quote ends with the next one, over lines.

    Raises:
        UnreadableInputError: a quote does not end, or another follows it.
    """
    text = re.sub(r"\r\n?", "\n", text)
    position = 0
    line = 1
    while position < len(text):
        end = position
        match = _ASSIGNMENT.match(text, position)
        if match is not None and (match["by"].strip() or " ") in by:
            yield Entry(match["name"], _value(match, line), line)
            # A value in quotes may end lines below.
            end = match.end()
        following = text.find("\n", end) + 1 or len(text)
        line += text.count("\n", position, following)
        position = following


def _value(match: re.Match[str], line: int) -> str:
    string = match["string"]
    rest = match["rest"].strip()
    is_unclear = rest.startswith(("'", '"'))
    if string is not None:
        if not rest or rest.startswith("#"):
            return string[1:-1]
        is_unclear = re.search("[\"']", rest) is not None
    if is_unclear:
        raise at_line(line, "where the value in quotes ends is unclear; close its quotes")
    if string is not None:
        # The quotes are a part of the value: ``"a" b``.
        return f"{string}{match['rest']}".strip()
    value, *_ = re.split(r"\s#", rest, maxsplit=1)
    return value.strip()


def whole_number(text: str, name: str, line: int) -> int:
    """The number of a setting, as programming languages write it (``600_000`` too).

    Raises:
        UndeterminedError: it is not one, or beyond any cost; the message has the line.
    """
    digits = text.strip().replace("_", "")
    if not _COUNT.fullmatch(text.strip()) or len(digits) > _HIGHEST_DIGITS:
        shown = printable(text)[:40]
        what = f"{name} is {shown!r}, which is not a whole number"
        raise UndeterminedError(line, what, cure="write a whole number there")
    return int(digits)


def power_of_two(exponent: int, name: str, line: int) -> int:
    """The number of a setting that is given by its logarithm.

    Raises:
        UnreadableInputError: it is beyond any cost; the message has the line.
    """
    if not 0 <= exponent < 63:  # No program counts beyond 64 bits with a sign.
        what = f"{name} is {exponent}, which is beyond any cost; it is the logarithm"
        raise at_line(line, what)
    return 1 << exponent


def blocks_of(key_bytes: int, digest_bytes: int) -> int:
    """How many digests PBKDF2 computes for a key, rounded up (RFC 8018, section 5.2)."""
    return max(1, -(-key_bytes // digest_bytes))


_Place = TypeVar("_Place")


def _never(_: object) -> str:
    """Set no place apart."""
    return ""


def costs_apart(
    read: Callable[[_Place], Costs],
    places: Iterable[_Place],
    apart: Callable[[_Place], str] = _never,
) -> Costs:
    """Read the costs of each place of a file; an unknown one hides no other.

    ``apart`` says what sets a place apart from production, if anything does.
    """
    for place in places:
        why = apart(place)
        try:
            for cost in read(place):
                yield cost.unless(why)
        except UndeterminedError as error:
            yield Found.of_error(error).unless(why)


def last_wins(costs: Sequence[Found], why: str) -> Costs:
    """All of them; each overrides the one before it."""
    if len(costs) < 2:
        return costs
    *lost, last = costs
    why = joined(last.why, why)
    return [*(replace(cost, wins=False) for cost in lost), replace(last, why=why)]


def unique(costs: Costs) -> Costs:
    """The costs without those that several calls share, each of which appears once."""
    kept: dict[tuple[object, ...], Found] = {}
    for cost in costs:
        key = (cost.line, cost.hasher, *cost.params.items())
        other = kept.get(key)
        # One call is enough for a cost to be used.
        if other is None or (cost.wins and not other.wins):
            kept[key] = cost
    return kept.values()


_CRYPT: Final = (
    (re.compile(r"\$2[abxy]\$(?P<count>[0-9]{2})\$"), "bcrypt", "cost", 0),
    (re.compile(r"\$6\$(?:rounds=(?P<count>[0-9]{1,9})\$)?"), "sha512-crypt", "rounds", 5000),
    (re.compile(r"\$5\$(?:rounds=(?P<count>[0-9]{1,9})\$)?"), "sha256-crypt", "rounds", 5000),
)


def of_crypt_setting(setting: str, line: int) -> Found:
    """The cost that the beginning of a hash makes crypt(3) hash with."""
    for pattern, hasher, param, usual in _CRYPT:
        match = pattern.match(setting)
        if match is None:
            continue
        count = usual
        if match["count"]:
            count = int(match["count"])
        if param == "rounds":
            # crypt(3) takes the nearest count in its range (Drepper, SHA-crypt.txt).
            count = min(max(count, 1000), 999_999_999)
        return Found(hasher=hasher, params={param: count}, line=line)
    if setting.startswith("$1$"):
        return Found.unfit("MD5", line, "the crypt(3) setting begins with $1$: 1000 rounds of MD5")
    # The oldest method has a salt of two characters, and no sign before it.
    if not setting.startswith("$"):
        return Found.unfit("DES", line, "the crypt(3) setting names no method, so it is DES")
    return Found.undetermined(line, "hashcost does not know the cost of this crypt(3) setting")


def only_verified(names: Iterable[str]) -> str:
    """Say that these algorithms make no new hashes; empty without any."""
    listed = [printable(name)[:40] for name in names]
    if not listed:
        return ""
    verb = "verify"
    if len(listed) == 1:
        verb = "verifies"
    return f"{' and '.join(listed)} only {verb} old hashes"
