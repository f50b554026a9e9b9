"""Names for findings that stay the same from run to run, so that others can follow them."""

import uuid
from collections import Counter
from collections.abc import Iterable, Iterator

from hashcost.render.document import Finding, Severity

_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_DNS, "hashcost")


def with_ids(findings: Iterable[Finding]) -> Iterator[tuple[Finding, str]]:
    """Each finding that did not pass with its fingerprint, no two of which are equal.

    It rests on what was found, of what and in which file: not on the message, which
    holds measured times, nor on the line, which moves when lines above it do.
    """
    seen: Counter[tuple[str, ...]] = Counter()
    for finding in findings:
        key = (finding.rule, finding.subject, finding.path or "")
        seen[key] += 1
        if finding.severity is not Severity.PASSED:
            yield finding, str(uuid.uuid5(_NAMESPACE, repr((*key, seen[key]))))
