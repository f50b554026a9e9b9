"""GitLab's code quality report: a JSON array with an entry per finding that did not pass."""

from hashcost.core.severity import Severity
from hashcost.render.document import Document
from hashcost.render.formats.sarif_format import with_ids
from hashcost.storage.profile import encode_json
from hashcost.storage.settings import OWN_FILE

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.NOTE: "info"}


def render(document: Document, width: int, color: bool) -> str:
    """The report as indented JSON.

    GitLab refuses an entry without a path, so a cost that is in no file gets the path of our
    settings file: GitLab recognises it in the next run.
    """
    entries = [
        {
            "description": finding.message,
            "check_name": finding.rule,
            "fingerprint": fingerprint,
            "severity": _SEVERITIES[finding.severity],
            "location": {"path": finding.path or OWN_FILE, "lines": {"begin": finding.line or 1}},
        }
        for finding, fingerprint in with_ids(document.findings)
    ]
    return encode_json(entries).decode()
