"""Annotations of a GitHub workflow: one command a line, and no line if there is nothing to say.

Escaped as the runner's own toolkit does it (actions/toolkit, packages/core/src/command.ts).
"""

from hashcost.core.severity import Severity
from hashcost.render.document import Document, Finding

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def render(document: Document) -> str:
    """Write a workflow command for each finding that did not pass."""
    lines = []
    for finding in document.findings:
        if finding.severity is not Severity.PASSED:
            command = _COMMANDS[finding.severity]
            lines.append(f"::{command} {_properties(finding)}::{_data(finding.message)}\n")
    return "".join(lines)


def _properties(finding: Finding) -> str:
    properties = []
    if finding.path is not None:
        properties.append(f"file={_property(finding.path)}")
        # Without a file it would be a line of the workflow.
        if finding.line is not None:
            properties.append(f"line={finding.line}")
    properties.append(f"title={_property(finding.rule_title)}")
    return ",".join(properties)


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
