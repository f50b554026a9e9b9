"""Annotations, read back as the runner reads them."""

from __future__ import annotations

import io
import re
from typing import Final

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from findings import ALL, OVER_BUDGET, rendered
from hashcost.core.text import escaped
from hashcost.render.document import Finding, Severity
from strategies import findings

_COMMAND: Final = re.compile(r"::([a-z]+)(?: ([^\n]*?))?::(.*)", re.DOTALL)
_CODES: Final = (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%"))


def read(text: str) -> list[tuple[str, dict[str, str], str]]:
    """The commands in a log: name, properties and message of each, as the runner splits them."""
    # .NET ends a line at these three; anything more that a line holds belongs to it.
    lines = io.StringIO(text, newline=None).read().split("\n")[:-1]
    commands = []
    for line in lines:
        match = _COMMAND.fullmatch(line)
        assert match
        name, properties, message = match.groups()
        pairs = (pair.partition("=")[::2] for pair in properties.split(","))
        commands.append((name, {key: _read(value) for key, value in pairs}, _read(message)))
    return commands


def _read(text: str) -> str:
    for code, character in _CODES:
        text = text.replace(code, character)
    return text


def expected(finding: Finding) -> tuple[str, dict[str, str], str]:
    """The command that stands for a finding."""
    name = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}
    place = (
        {} if finding.path is None else {"file": escaped(finding.path), "line": str(finding.line)}
    )
    if finding.line is None:
        place.pop("line", None)
    return (
        name[finding.severity],
        {**place, "title": escaped(finding.rule_title)},
        escaped(finding.message),
    )


def test_whole() -> None:
    """An error, a warning and a notice, each at its place; what passed is not annotated."""
    assert rendered("github", *ALL) == (
        "::error file=hashcost.toml,line=3,title=A cost has fallen behind"
        "::bcrypt cost=8 takes 13.4 ms; set cost=9\n"
        "::warning title=It takes too long::bcrypt cost=12 takes 214 ms\n"
        "::notice file=hashcost.toml,title=Nobody can tell::yescrypt cost=5 was not timed\n"
    )


def test_line_needs_a_file() -> None:
    """A line without a file would be shown at a line of the workflow, and is left out."""
    assert "line=" not in rendered("github", replace(OVER_BUDGET, line=7))


@given(found=st.lists(findings))
def test_no_text_ends_or_forges_a_command(found: list[Finding]) -> None:
    """The runner reads one command for each finding that did not pass, and reads it whole."""
    wanted = [expected(each) for each in found if each.severity is not Severity.PASSED]

    assert wanted == read(rendered("github", *found))
