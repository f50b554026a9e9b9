"""JUnit XML, the dialect of Jenkins' junit-10.xsd: a test case per finding."""

from collections import Counter
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from hashcost.core.cost_expressions import Place
from hashcost.core.severity import Severity
from hashcost.render.document import Document, Finding

_TOOL = "hashcost"


def render(document: Document) -> str:
    """Write a failure for an error, skipped if inconclusive, and otherwise passed."""
    root = Element("testsuites", name=_TOOL)
    suite = SubElement(root, "testsuite", name="check")
    names: Counter[str] = Counter()
    for finding in document.findings:
        name = _name(finding)
        names[name] += 1
        # No two cases may share a name.
        if names[name] > 1:
            name = f"{name} #{names[name]}"
        _add_case(suite, finding, name)
    _add_counts(root, suite, sum(finding.seconds or 0.0 for finding in document.findings))
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}\n'


def _add_counts(root: Element, suite: Element, seconds: float) -> None:
    """Count the cases of a suite, which is complete."""
    skipped = str(len(suite.findall("*/skipped")))
    failures = str(len(suite.findall("*/failure")))
    for element in (root, suite):
        element.set("time", f"{seconds:.3f}")
        # The dialect counts what was skipped only in a suite.
        if element is suite:
            element.set("skipped", skipped)
        element.set("tests", str(len(suite)))
        element.set("failures", failures)
        element.set("errors", "0")


def _name(finding: Finding) -> str:
    if not finding.path:
        return finding.subject
    return f"{finding.subject} ({Place(path=finding.path, line=finding.line)})"


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
