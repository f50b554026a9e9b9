"""SARIF 2.1.0, for code scanning: a result per finding that did not pass."""

import re
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Final
from urllib.parse import quote

from hashcost.core.severity import Severity
from hashcost.core.text import name_bytes
from hashcost.core.version import DOCUMENTATION, __version__
from hashcost.render.document import Document, Finding
from hashcost.storage.profile import encode_json

_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}
_FINGERPRINT: Final = "hashcost/v1"

_NAMESPACE: Final = uuid.uuid5(uuid.NAMESPACE_DNS, "hashcost")


def render(document: Document, width: int, color: bool) -> str:
    """A run of this tool as indented JSON."""
    findings = list(with_ids(document.findings))
    rules: dict[str, Finding] = {}
    for finding, _ in findings:
        before = rules.get(finding.rule)
        # A rule is as severe as the worst of its results.
        if before is None or _rank(finding) > _rank(before):
            rules[finding.rule] = finding
    order = list(rules)
    driver = {
        "name": "hashcost",
        "version": __version__,
        "rules": [_rule(finding) for finding in rules.values()],
    }
    results = [
        _result(finding, fingerprint, order.index(finding.rule))
        for finding, fingerprint in findings
    ]
    if any(finding.suppressed is not None for finding, _ in findings):
        # Either every result of a run has the list, or none (SARIF 2.1.0, 3.27.23).
        for result, (finding, _) in zip(results, findings, strict=True):
            result["suppressions"] = _suppressions(finding)
    run = {"tool": {"driver": driver}, "results": results}
    return encode_json({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}).decode()


def _rank(finding: Finding) -> int:
    return list(Severity).index(finding.severity)


def _rule(finding: Finding) -> dict[str, Any]:
    rule: dict[str, Any] = {
        "id": finding.rule,
        "shortDescription": {"text": finding.rule_title},
        "fullDescription": {"text": finding.rule_help},
        "help": {"text": finding.rule_help, "markdown": "\n\n".join(finding.rule_page)},
        "defaultConfiguration": {"level": _LEVELS[finding.severity]},
    }
    if DOCUMENTATION:
        rule["helpUri"] = f"{DOCUMENTATION}verdicts.html#{finding.rule}"
    return rule


def _result(finding: Finding, fingerprint: str, rule: int) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": rule,
        "level": _LEVELS[finding.severity],
        "message": {"text": _message(finding.message)},
        "partialFingerprints": {_FINGERPRINT: fingerprint},
    }
    if finding.path is not None:
        place: dict[str, Any] = {"artifactLocation": {"uri": _uri(finding.path)}}
        if finding.line is not None:
            place["region"] = {"startLine": finding.line}
        result["locations"] = [{"physicalLocation": place}]
    return result


def _suppressions(finding: Finding) -> list[dict[str, Any]]:
    if finding.suppressed is None:
        return []
    kind = "inSource" if finding.suppressed.in_source else "external"
    justification = _message(finding.suppressed.why)
    return [{"kind": kind, "status": "accepted", "justification": justification}]


def _uri(path: str) -> str:
    """A relative reference, or a file URI for an absolute path, which has no other form."""
    encoded = quote(name_bytes(path))
    return f"file://{encoded}" if path.startswith("/") else encoded


def _message(text: str) -> str:
    """Plain text in which nothing is a placeholder or a link (SARIF 2.1.0, 3.11.5 and 3.11.6)."""
    return re.sub(r"([\\\[\]])", r"\\\1", text).replace("{", "{{").replace("}", "}}")


def with_ids(findings: Iterable[Finding]) -> Iterator[tuple[Finding, str]]:
    """Each finding that did not pass with its own fingerprint.

    It rests on rule, subject and file: not on the message, which holds measured times, nor on
    the line, which moves when lines above it do.
    """
    seen: Counter[tuple[str, ...]] = Counter()
    for finding in findings:
        key = (finding.rule, finding.subject, finding.path or "")
        seen[key] += 1
        if finding.severity is not Severity.PASSED:
            yield finding, str(uuid.uuid5(_NAMESPACE, repr((*key, seen[key]))))
