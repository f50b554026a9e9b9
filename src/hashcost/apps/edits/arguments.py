"""Arguments and attributes of a cost that a file leaves out, beside those it has. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Final

from hashcost.apps.edits.literals import Edit
from hashcost.apps.refusals import MAXMEM_DEFAULT, scrypt_bytes
from hashcost.apps.snippet import filled
from hashcost.core.errors import at_line
from hashcost.core.measurement import Params

_ARGUMENT: Final = re.compile(
    r"(?P<key>[\w.-]+|'\w+'|\"\w+\")(?P<by>\s*(?:=>|=|:)\s*)<(?P<param>\w+)[^<>]*>\w*"
)
_CALLED: Final = re.compile(r"(?P<name>[A-Za-z_]\w*)\(\s*\Z")
_LIMIT: Final = re.compile(r"(?P<key>\w+)(?P<by>\s*[=:]\s*)<scrypt_bytes\b")
_ARRAY_END: Final = re.compile(
    r"(?m)^(?P<last>(?P<indent>[ \t]*)[^\n]*,[ \t]*\r?\n)(?=[ \t]*[)\]][ \t]*;\s*(?:\?>\s*)?\Z)"
)
_FAR: Final = 12
"""Lines; what is further from a cost than this is of something else."""


@dataclass(frozen=True)
class Argument:
    """How the snippet sets one param: ``key``, what is behind it, and the whole of it."""

    key: str
    written: str
    alone: bool
    """Whether it has a line of its own."""
    call: str
    """The function whose first argument it is, if it is one."""


def arguments(template: str, params: Params) -> dict[str, Argument]:
    """How a snippet sets each param that it names."""
    found = {}
    for match in _ARGUMENT.finditer(template):
        line = template[template.rfind("\n", 0, match.start()) + 1 :].partition("\n")[0]
        called = _CALLED.search(template[: match.start()])
        found[match["param"]] = Argument(
            key=match["key"],
            written=filled(match[0], params),
            alone=line.strip().rstrip(",;") == match[0],
            call="" if called is None else called["name"],
        )
    return found


def beside(
    text: str, known: dict[str, Argument], missing: Collection[str], line: int
) -> Iterator[Edit]:
    """Where the arguments that are missing may go near a line, the likeliest first."""
    first, last = _window(text, line)
    new = [known[each] for each in missing if each in known]
    there = any(_given(each).search(text, first, last) for each in new)
    if there or not new or len(new) < len(missing):
        return
    calls = {each.call for each in known.values() if each.call}
    written = ", ".join(each.written for each in new)
    for name in sorted(calls):
        for match in re.finditer(rf"\b{name}\((?P<end>\s*\))?", text[first:last]):
            at = first + match.start() + len(name) + 1
            yield Edit(at, at, written if match["end"] else f"{written}, ")
    for param, each in reversed(known.items()):
        if param in missing:
            continue
        for match in _given(each).finditer(text, first, last):
            end = match.end()
            yield Edit(end, end, f", {written}")
            start = text.rfind("\n", 0, end) + 1
            stop = text.find("\n", end)
            stop = len(text) if stop < 0 else stop
            indent = text[start : start + len(text[start:stop]) - len(text[start:stop].lstrip())]
            tail = text[end:stop].strip()
            own = "".join(f"\n{indent}{one.written}{tail[:1]}" for one in new)
            if tail in {"", ",", ";"}:
                yield Edit(stop, stop, own)


def at_end(
    text: str, known: dict[str, Argument], missing: Sequence[str], line: int
) -> Iterator[Edit]:
    """Behind the last word of a line, where each word is an option."""
    starts = _starts(text)
    if not 0 < line < len(starts):
        return
    content = text[starts[line - 1] : starts[line]]
    words = re.match(r"(?P<said>.*?)\s*(?:\\|#.*)?\s*\Z", content, re.DOTALL)
    if words is not None and all(each in known for each in missing):
        at = starts[line - 1] + words.end("said")
        yield Edit(at, at, "".join(f" {known[each].written}" for each in missing))


def at_end_of_array(text: str, lines: Sequence[str]) -> str | None:
    """The text with lines as the last of an array that ends it, as PHP has it, if it has one."""
    end = _ARRAY_END.search(text)
    if end is None:
        return None
    newline = "\r\n" if end["last"].endswith("\r\n") else "\n"
    added = "".join(f"{end['indent']}{each}{newline}" for each in lines)
    return text[: end.end("last")] + added + text[end.end("last") :]


def memory_limits(text: str, template: str, params: Params, line: int) -> Iterator[Edit]:
    """Edits of the limit of memory that a snippet has, where a file's is below what it takes.

    Raises:
        UnreadableInputError: it is not a number in the file.
    """
    match = _LIMIT.search(template)
    if match is None or (needed := scrypt_bytes(params)) <= MAXMEM_DEFAULT:
        return
    limit = Argument(
        key=match["key"],
        written=f"{match['key']}{match['by']}{needed}",
        alone=False,
        call="",
    )
    first, last = _window(text, line)
    there = re.compile(rf"\b{limit.key}\b\s*[=:]\s*(?P<value>[\d_]+(?:\s*\*\s*\d+)*)?")
    found = there.search(text, first, last)
    if found is None:
        siblings = arguments(template, params)
        yield from beside(text, {**siblings, "limit": limit}, ("limit",), line)
    elif found["value"] is None:
        raise at_line(line, f"{limit.key} is not a number here; write {needed:,} or more")
    elif prod(int(each) for each in found["value"].split("*")) < needed:
        yield Edit(*found.span("value"), str(needed))


def given(text: str, argument: Argument, line: int) -> Iterator[Edit]:
    """The number that an argument has near a line, with the snippet's in its place."""
    first, last = _window(text, line)
    wanted = re.search(r"\d+", argument.written[len(argument.key) :])
    for match in _given(argument).finditer(text, first, last) if wanted else ():
        yield Edit(*match.span("number"), wanted[0] if wanted else "")


def _given(argument: Argument) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.]){re.escape(argument.key)}\s*(?:=>|=|:)\s*(?P<number>\d+)\b")


def _window(text: str, line: int) -> tuple[int, int]:
    """The characters near a line, from and to."""
    starts = _starts(text)
    return starts[max(0, line - 2)], starts[min(len(starts) - 1, line + _FAR)]


def _starts(text: str) -> list[int]:
    """The offset of each line, and the end of the text."""
    offsets = [0]
    for each in text.splitlines(keepends=True):
        offsets.append(offsets[-1] + len(each))
    return offsets
