"""The step to paste that runs `calibrate check` in a CI system."""

from typing import Final

from hashcost.core.package_data import data_text

OWNER: Final = "<OWNER>"
COMMIT: Final = "<COMMIT>"
"""Placeholders for facts that only the reader knows."""

FILES: Final = {"github": ".github/workflows/password-hash-cost.yml", "gitlab": ".gitlab-ci.yml"}
"""The place of each system's step."""
INCLUDED: Final = ".gitlab/password-hash-cost.yml"
"""The place if GitLab's file exists already."""


def ci_step(system: str, owner: str = OWNER, commit: str = COMMIT) -> str:
    """The step for one of `FILES`, which installs this program from a commit of an owner's."""
    step = data_text(f"render/ci/{system}.yml")
    return step.replace(OWNER, owner).replace(COMMIT, commit)
