"""GitLab's code quality report: a JSON array with an entry per finding that did not pass."""

from typing import Any

from hashcost.core.severity import Severity
from hashcost.render.document import Document, Finding
from hashcost.render.formats.sarif_format import with_ids
from hashcost.storage.profile import encode_json
from hashcost.storage.settings import OWN_FILE

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.NOTE: "info"}


def render(document: Document) -> str:
    """Write the report as indented JSON."""
    entries = []
    for finding, fingerprint in with_ids(document.findings):
        entries.append(_entry(finding, fingerprint))
    return encode_json(entries).decode()


def _entry(finding: Finding, fingerprint: str) -> dict[str, Any]:
    # GitLab refuses an entry without a path, so a cost that is in no file gets the path of our
    # settings file, by which GitLab recognises it in the next run.
    path = finding.path or OWN_FILE
    return {
        "description": finding.message,
        "check_name": finding.rule,
        "fingerprint": fingerprint,
        "severity": _SEVERITIES[finding.severity],
        "location": {"path": path, "lines": {"begin": finding.line or 1}},
    }
