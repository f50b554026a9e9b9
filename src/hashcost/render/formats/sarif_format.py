"""SARIF 2.1.0, for code scanning: a result per finding that did not pass."""

import re
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Final, TypeAlias
from urllib.parse import quote

from hashcost.core.severity import Severity
from hashcost.core.text import name_bytes
from hashcost.core.version import DOCUMENTATION, __version__
from hashcost.render.document import Document, Finding
from hashcost.render.wording import gathered
from hashcost.storage.profile import encode_json

_Object: TypeAlias = dict[str, Any]
_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}
_FINGERPRINT: Final = "hashcost/v1"
_NAMESPACE: Final = uuid.uuid5(uuid.NAMESPACE_DNS, "hashcost")


def render(document: Document) -> str:
    """Write a run of this tool as indented JSON."""
    findings = list(with_ids(document.findings))
    reported = [finding for finding, _ in findings]
    rules = _rules(reported)
    # A result names its rule by its place in the list as well (3.27.6).
    places = {rule["id"]: index for index, rule in enumerate(rules)}
    # Either every result of a run has the list of suppressions, or none (3.27.23).
    is_suppressed = any(finding.accepted for finding in reported)
    results = []
    for finding, fingerprint in findings:
        result = _result(finding, fingerprint, places[finding.rule])
        if is_suppressed:
            result["suppressions"] = _suppressions(finding)
        results.append(result)
    driver = {"name": "hashcost", "version": __version__, "rules": rules}
    run = {"tool": {"driver": driver}, "results": results}
    return encode_json({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}).decode()


def _rules(findings: Iterable[Finding]) -> list[_Object]:
    """The rules in the order of their first findings, each as severe as its worst."""
    by_rule = gathered((finding.rule, finding) for finding in findings)
    return [_rule(max(same, key=_rank)) for same in by_rule.values()]


def _rank(finding: Finding) -> int:
    return list(Severity).index(finding.severity)


def _rule(finding: Finding) -> _Object:
    rule: _Object = {
        "id": finding.rule,
        "shortDescription": {"text": finding.rule_title},
        "fullDescription": {"text": finding.rule_help},
        "help": {"text": finding.rule_help, "markdown": "\n\n".join(finding.rule_page)},
        "defaultConfiguration": {"level": _LEVELS[finding.severity]},
    }
    # Until the documentation has an address, a rule has only its own text.
    if DOCUMENTATION:
        rule["helpUri"] = f"{DOCUMENTATION}verdicts.html#{finding.rule}"
    return rule


def _result(finding: Finding, fingerprint: str, rule: int) -> _Object:
    result: _Object = {
        "ruleId": finding.rule,
        "ruleIndex": rule,
        "level": _LEVELS[finding.severity],
        "message": {"text": _message(finding.message)},
        "partialFingerprints": {_FINGERPRINT: fingerprint},
    }
    if finding.path is not None:
        place: _Object = {"artifactLocation": {"uri": _uri(finding.path)}}
        if finding.line is not None:
            place["region"] = {"startLine": finding.line}
        result["locations"] = [{"physicalLocation": place}]
    return result


def _suppressions(finding: Finding) -> list[_Object]:
    if not finding.accepted:
        return []
    kind = "inSource" if finding.in_source else "external"
    return [{"kind": kind, "status": "accepted", "justification": _message(finding.accepted)}]


def _uri(path: str) -> str:
    """A relative reference, or a file URI for an absolute path, which has no other form."""
    encoded = quote(name_bytes(path))
    if path.startswith("/"):
        return f"file://{encoded}"
    return encoded


def _message(text: str) -> str:
    """Plain text in which nothing is a placeholder or a link (SARIF 2.1.0, 3.11.5 and 3.11.6)."""
    return re.sub(r"([\\\[\]])", r"\\\1", text).replace("{", "{{").replace("}", "}}")


def with_ids(findings: Iterable[Finding]) -> Iterator[tuple[Finding, str]]:
    """Pair each finding that did not pass with its own fingerprint.

    It rests on rule, subject and file: not on the message, which holds measured times, nor on
    the line, which moves when lines above it do.
    """
    seen: Counter[tuple[str, ...]] = Counter()
    for finding in findings:
        key = (finding.rule, finding.subject, finding.path or "")
        seen[key] += 1  # A repetition is another finding.
        if finding.severity is not Severity.PASSED:
            fingerprint = uuid.uuid5(_NAMESPACE, repr((*key, seen[key])))
            yield finding, str(fingerprint)
