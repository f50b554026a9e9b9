"""The step to paste that runs `calibrate check` in a CI system. Pure."""

from typing import Final

OWNER: Final = "<OWNER>"
COMMIT: Final = "<COMMIT>"
"""Stand for what only the reader knows."""

_GITHUB: Final = """\
name: Password-hash cost
on: [push, pull_request]
permissions: {}
jobs:
  cost:
    runs-on: ubuntu-latest
    permissions:
      contents: read
      security-events: write # only for the upload
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
        with:
          persist-credentials: false
      - uses: actions/setup-python@5fda3b95a4ea91299a34e894583c3862153e4b97 # v7.0.0
        with:
          python-version: "3.13"
      - id: cost
        uses: <OWNER>/hashcost/.github/actions/check@<COMMIT>
        with:
          sarif: cost.sarif
      - if: always() && steps.cost.outputs.sarif
        uses: github/codeql-action/upload-sarif@ff2f1c621b7f889edc0d3c761ac2e6a3f8cdb0dd # v4.37.7
        with:
          sarif_file: ${{ steps.cost.outputs.sarif }}
"""

_GITLAB: Final = """\
password-hash-cost:
  image: python:3.13
  script:
    - rm -rf quality.json junit.xml # a merge request may have committed some
    - pip install "hashcost[argon2,apps,scan] @ git+https://github.com/<OWNER>/hashcost@<COMMIT>"
    - calibrate check --report gitlab=quality.json --report junit=junit.xml
  artifacts:
    when: always
    reports:
      codequality: quality.json
      junit: junit.xml
"""

STEPS: Final = {"github": _GITHUB, "gitlab": _GITLAB}
"""By CI system."""
FILES: Final = {
    "github": ".github/workflows/password-hash-cost.yml",
    "gitlab": ".gitlab-ci.yml",
}
"""Where each step belongs."""


def ci_step(system: str, owner: str = OWNER, commit: str = COMMIT) -> str:
    """The step for one CI system, which installs this program from a commit of an owner's."""
    return STEPS[system].replace(OWNER, owner).replace(COMMIT, commit)
