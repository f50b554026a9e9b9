"""JUnit XML, the dialect of Jenkins' junit-10.xsd: a test case per finding."""

from collections import Counter
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from hashcost.core.severity import Severity
from hashcost.render.document import Document, Finding

_TOOL = "hashcost"


def render(document: Document, width: int, color: bool) -> str:
    """A failure for an error, skipped if inconclusive, and otherwise passed."""
    findings = document.findings
    failed = [finding.severity is Severity.ERROR for finding in findings]
    skipped = [finding.skipped and finding.severity is not Severity.ERROR for finding in findings]
    count = {"tests": len(findings), "failures": sum(failed), "errors": 0}
    time = f"{sum(finding.seconds or 0.0 for finding in findings):.3f}"
    root = _element(None, "testsuites", name=_TOOL, time=time, **count)
    suite = _element(root, "testsuite", name="check", time=time, skipped=sum(skipped), **count)
    names: Counter[str] = Counter()
    for finding in findings:
        line = "" if finding.line is None else f":{finding.line}"
        name = f"{finding.subject} ({finding.path}{line})" if finding.path else finding.subject
        names[name] += 1  # No two cases share a name.
        _add_case(suite, finding, name if names[name] == 1 else f"{name} #{names[name]}")
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}\n'


def _add_case(suite: Element, finding: Finding, name: str) -> None:
    place = finding.path or _TOOL
    case = _element(suite, "testcase", classname=place, name=name)
    if finding.seconds is not None:
        case.set("time", f"{finding.seconds:.6f}")
    where = "" if finding.line is None else f"{place}:{finding.line}: "
    if finding.severity is Severity.ERROR:
        failure = _element(case, "failure", type=finding.rule, message=finding.message)
        failure.text = f"{where}{finding.message}\n{finding.rule_help}"
    elif finding.skipped:
        _element(case, "skipped", type=finding.rule, message=finding.message)
    elif finding.severity is not Severity.PASSED:
        _element(case, "system-out").text = f"{where}{finding.message}"


def _element(parent: Element | None, tag: str, **attributes: str | int) -> Element:
    texts = {name: str(value) for name, value in attributes.items()}
    return Element(tag, texts) if parent is None else SubElement(parent, tag, texts)
