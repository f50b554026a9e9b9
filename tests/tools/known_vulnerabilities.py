"""Ask pip-audit whether something that is installed has a known vulnerability.

``python -m tests.tools.known_vulnerabilities [--required]``: ends with 1 if something has. Where
no service of advisories answers it says so, and ends with 0 unless an answer is ``--required``.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from typing import Any, Final, NamedTuple

_COMMAND: Final = ("--skip-editable", "--progress-spinner=off", "--format=json")
_LONGEST_SECONDS: Final = 300


class Answer(NamedTuple):
    """How many packages an advisory service knew, and what it said of them, a line each."""

    known: int
    found: tuple[str, ...]


def read(text: str) -> Answer:
    """The answer in pip-audit's JSON; nothing is known where it could ask nobody."""
    try:
        packages: list[dict[str, Any]] = json.loads(text)["dependencies"]
    except ValueError:
        return Answer(0, ())
    known = [each for each in packages if "skip_reason" not in each]
    return Answer(
        len(known),
        tuple(
            f"{each['name']} {each['version']}: {vulnerability['id']}, fixed in"
            f" {', '.join(vulnerability['fix_versions']) or 'no version'}"
            for each in known
            for vulnerability in each["vulns"]
        ),
    )


def verdict(answer: Answer, *, required: bool) -> tuple[int, str]:
    """The exit code and what to print."""
    if answer.found:
        return 1, "\n".join(answer.found)
    if not answer.known:
        return int(required), "not audited: no service of advisories answers here"
    return 0, f"none known in {answer.known} packages"


def main() -> None:
    """Ask, print and end."""
    parser = argparse.ArgumentParser(prog="python -m tests.tools.known_vulnerabilities")
    parser.add_argument("--required", action="store_true")
    required = parser.parse_args().required
    try:
        asked = subprocess.run(
            [sys.executable, "-m", "pip_audit", *_COMMAND],
            stdout=subprocess.PIPE,
            encoding="utf-8",
            timeout=_LONGEST_SECONDS,
            check=False,
        ).stdout
    except subprocess.TimeoutExpired:
        asked = ""
    code, said = verdict(read(asked), required=required)
    print(said)
    sys.exit(code)


if __name__ == "__main__":
    main()
