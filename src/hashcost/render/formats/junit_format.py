"""JUnit XML, the dialect of Jenkins' junit-10.xsd: a test case per finding."""

from collections import Counter
from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from hashcost.core.severity import Severity
from hashcost.render.document import Document, Finding

_TOOL = "hashcost"


def render(document: Document) -> str:
    """Write a failure for an error, skipped if inconclusive, and otherwise passed."""
    root = Element("testsuites", name=_TOOL)
    suite = SubElement(root, "testsuite", name="check")
    _add_counts(root, suite, document.findings)
    names: Counter[str] = Counter()
    for finding in document.findings:
        name = _name(finding)
        names[name] += 1
        # No two cases may share a name.
        if names[name] > 1:
            name = f"{name} #{names[name]}"
        _add_case(suite, finding, name)
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}\n'


def _add_counts(root: Element, suite: Element, findings: Sequence[Finding]) -> None:
    seconds = 0.0
    failures = 0
    skipped = 0
    for finding in findings:
        seconds += finding.seconds or 0.0
        if finding.severity is Severity.ERROR:
            failures += 1
        elif finding.skipped:
            skipped += 1
    root.set("time", f"{seconds:.3f}")
    suite.set("time", f"{seconds:.3f}")
    suite.set("skipped", str(skipped))  # The dialect counts them only here.
    for element in (root, suite):
        element.set("tests", str(len(findings)))
        element.set("failures", str(failures))
        element.set("errors", "0")


def _name(finding: Finding) -> str:
    if not finding.path:
        return finding.subject
    if finding.line is None:
        return f"{finding.subject} ({finding.path})"
    return f"{finding.subject} ({finding.path}:{finding.line})"


def _add_case(suite: Element, finding: Finding, name: str) -> None:
    place = finding.path or _TOOL
    case = SubElement(suite, "testcase", classname=place, name=name)
    if finding.seconds is not None:
        case.set("time", f"{finding.seconds:.6f}")
    located = finding.message
    if finding.line is not None:
        located = f"{place}:{finding.line}: {located}"
    # Only an error fails a build; a finding that the check is told to fail for is one.
    if finding.severity is Severity.ERROR:
        failure = SubElement(case, "failure", type=finding.rule, message=finding.message)
        failure.text = f"{located}\n{finding.rule_help}"
    elif finding.skipped:
        SubElement(case, "skipped", type=finding.rule, message=finding.message)
    elif finding.severity is not Severity.PASSED:
        SubElement(case, "system-out").text = located
