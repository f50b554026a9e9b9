"""Annotations of a GitHub workflow: one command a line, and no line if there is nothing to say.

Escaped as the runner's own toolkit does it (actions/toolkit, packages/core/src/command.ts).
"""

from hashcost.core.severity import Severity
from hashcost.render.document import Document, Finding

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def render(document: Document, width: int, color: bool) -> str:
    """A workflow command for each finding that did not pass."""
    return "".join(
        f"::{_COMMANDS[finding.severity]} {_properties(finding)}::{_data(finding.message)}\n"
        for finding in document.findings
        if finding.severity is not Severity.PASSED
    )


def _properties(finding: Finding) -> str:
    properties = {"file": finding.path, "line": finding.line, "title": finding.rule_title}
    if finding.path is None:
        del properties["line"]  # Without a file it would be a line of the workflow.
    return ",".join(
        f"{name}={_data(str(value)).replace(':', '%3A').replace(',', '%2C')}"
        for name, value in properties.items()
        if value is not None
    )


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
