"""Add a setting to a file that lacks it, where the format of the file makes that safe. Pure."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias

from hashcost.apps.ini import entries
from hashcost.apps.interface import App
from hashcost.apps.schemes import Scheme
from hashcost.apps.text import Entry, assignments
from hashcost.apps.yaml_values import with_keys
from hashcost.core.measurement import Params

_Adder: TypeAlias = Callable[[App, str, str], str | None]
"""Adds what a snippet has and a text lacks; `None` if there is no safe place for it."""


def with_setting(app: App, scheme: Scheme, text: str, params: Params) -> str | None:
    """A file's text with a line for each setting of a cost that it lacks.

    A commented-out line of the same setting is used; otherwise a line is added. Whoever calls
    this reads the text again: another line may still decide.

    Returns:
        `None` if the format has no safe place for a line.
    """
    add = _ADDERS.get(app.reading_of(text)["format"])
    if add is None:
        return None
    newline = "\n"
    if "\r\n" in text:
        newline = "\r\n"
    if text.count("\n") != text.count(newline):
        return None  # Lines that end in two ways would not stay as they are.
    plain = text.replace(newline, "\n")
    added = add(app, plain, app.snippet(scheme, params))
    if added is None:
        return None
    # Releases that do not know the setting ignore it, or do not start with it. A commented-out
    # line shows that this one knows it.
    if app.caution_of(scheme) and added.count("\n") > plain.count("\n"):
        return None
    return added.replace("\n", newline)


def _in_assignments(app: App, text: str, snippet: str) -> str | None:
    by = app.reading_of(text).get("by", "=")
    lines = text.split("\n")
    there = assignments(text, by=by)
    return _with_lines(lines, 0, len(lines), there, list(assignments(snippet, by=by)), snippet)


def _in_section(app: App, text: str, snippet: str) -> str | None:
    """Add to the section that the snippet begins with, or add that section at the end."""
    lines = text.split("\n")
    section = app.reading_of(text)["section"]
    has_sections = False
    start = 0
    end = len(lines)
    for number, line in enumerate(lines):
        header = _HEADER.match(line)
        if header is None:
            continue
        has_sections = True
        if start:
            end = number
            break
        if re.fullmatch(section, header["section"]):
            start = number + 1
    if start:
        there = [line for line in entries(text) if re.fullmatch(section, line.section)]
        return _with_lines(lines, start, end, there, entries(snippet), snippet)
    if not has_sections:
        return None  # It may be a file of variables.
    return _at_the_end(app, text, snippet)


def _with_lines(
    lines: Sequence[str],
    start: int,
    end: int,
    there: Iterable[Entry],
    wanted: Sequence[Entry],
    snippet: str,
) -> str:
    """Set the settings that are not ``there`` between two lines, each on the snippet's line."""
    changed = list(lines)
    names = {entry.name.lower() for entry in there}
    written = snippet.splitlines()
    added = []
    for entry in wanted:
        if entry.name.lower() in names:
            continue
        line = written[entry.line - 1]
        commented = {}
        for number in range(start, end):
            match = _commented(entry.name).fullmatch(lines[number])
            if match is not None:
                commented[number] = match
        # Of several it is not clear which is meant.
        if len(commented) != 1:
            added.append(line)
            continue
        number, match = commented.popitem()
        changed[number] = f"{match['indent']}{line}{match['rest'] or ''}"
    last = end
    while last > start and not lines[last - 1].strip():
        last -= 1
    if added and last == len(changed):
        added.append("")  # The last line ended the text without a line end.
    changed[last:last] = added
    return "\n".join(changed)


def _commented(name: str) -> re.Pattern[str]:
    """A commented-out line that sets a name to one word, and a comment behind it."""
    return re.compile(
        rf"(?P<indent>[ \t]*)[#;][ \t]?{re.escape(name)}(?:[ \t]*[=:][ \t]*|[ \t]+)[^\s#;]+"
        r"(?P<rest>[ \t]+[#;].*)?[ \t]*",
        re.IGNORECASE,
    )


def _in_mapping(_: App, text: str, snippet: str) -> str | None:
    return with_keys(text, snippet)


def _at_the_end(_: App, text: str, snippet: str) -> str | None:
    """Add the whole snippet, behind an empty line, unless the text names what it assigns."""
    if any(re.search(rf"\b{name}\b", text) for name in _ASSIGNED.findall(snippet)):
        return None  # The snippet would replace it.
    before = text.rstrip("\n")
    if not before:
        return snippet.lstrip()
    return f"{before}\n\n{snippet.lstrip()}"


_ASSIGNED: Final = re.compile(r"^(\w+) *=", re.MULTILINE)
_HEADER: Final = re.compile(r"\s*\[(?P<section>[^]]+)\]")
_ADDERS: Final[dict[str, _Adder]] = {
    "settings.Assignments": _in_assignments,
    "settings.Ini": _in_section,
    "settings.Yaml": _in_mapping,
    "django.Django": _at_the_end,
}
"""Adders by format. Other code, and arrays, have no place that is plainly the right one."""
