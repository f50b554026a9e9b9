"""The GitHub action on a checkout that tries everything to get its own code run.

The steps are run as action.yml has them, with a real virtual environment and a real pip, in a
temporary HOME. Only what pip installs is a stand-in: a package that leads to this repository's
code, so that nothing is fetched.
"""

import os
import shutil
import sys
import sysconfig
from pathlib import Path
from typing import Any, Final

import pytest

import hashcost
from corpora import cases
from end_to_end.action_runner import ACTION, Runner
from end_to_end.hostile import leaves_a_mark, put_modules

pytestmark = pytest.mark.slow

PROGRAMS: Final = (
    *("python3", "python", "pip", "calibrate", "mktemp", "rm", "cat", "od", "tr", "git", "gcc"),
    *("ld", "ldconfig", "lscpu", "uname", "env", "bash", "sh"),
)
"""Programs that a script could start from a relative entry of PATH."""

BACKEND: Final = cases(__file__, "action_hostile.toml", "backend")


class Checkout:
    """A runner whose workspace is hostile, and the marks that its code leaves when it runs."""

    def __init__(self, folder: Path) -> None:
        repository = folder / "action"
        action = repository / ".github" / "actions" / "check"
        shutil.copytree(ACTION, action)
        places = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
        lines = "\n".join([str(Path(hashcost.__file__).parents[1]), *sorted(places)])
        backend = f"PLACES = {lines!r}\n{BACKEND}"
        (repository / "build.py").write_text(backend)
        # Needs a tool, as this repository does, so that pip starts a Python of its own for it.
        (repository / "pyproject.toml").write_text(
            '[build-system]\nrequires = ["tool"]\nbuild-backend = "build"\nbackend-path = ["."]\n'
        )
        self._links = folder / "links"
        self._links.mkdir()
        made: dict[str, Any] = {}
        exec(backend, made)  # noqa: S102 - the backend above
        made["wheel_of"](self._links, "tool", "")
        self.marks = folder / "marks"
        self.marks.mkdir()
        self.runner = Runner(folder, action)
        self._fill(self.runner.workspace)
        self.runner.env |= self._environment(folder)

    def _fill(self, workspace: Path) -> None:
        """Put everything into the workspace that is code or tells others which code to run."""
        put_modules(workspace, self.marks)
        programs = workspace / "bin"
        programs.mkdir()
        for name in PROGRAMS:
            for place in (workspace, programs):
                (place / name).write_text(f"#!/bin/bash\ntouch '{self.marks}/{name}'\nexit 7\n")
                (place / name).chmod(0o755)
        for name in ("libcrypt.so.1", "libm.so.6", "libz.so.1"):
            (workspace / name).write_bytes(b"\x7fELF")
        (workspace / ".python-version").write_text("2.7.0\n")
        (workspace / "pyvenv.cfg").write_text(f"home = {workspace}\n")
        (workspace / "evil.pth").write_text(f"import sys; {leaves_a_mark(self.marks)}")
        (workspace / "setup.cfg").write_text(f"[install]\nprefix = {self.marks}/setup.cfg\n")
        (workspace / "pip.conf").write_text(f"[global]\ntarget = {self.marks}/pip.conf\n")
        (workspace / "cost.sarif").write_text("stale")
        (workspace / "pyproject.toml").write_text(
            '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
        )
        (workspace / "hashcost.toml").write_text(
            'check = ["bcrypt=5"]\npolicy = ["owasp"]\ntarget = "40ms"\n'
        )

    def _environment(self, folder: Path) -> dict[str, str]:
        """A home and a PATH of its own, in which other steps have left relative places."""
        home, shims = folder / "home", folder / "shims"
        home.mkdir()
        shims.mkdir()
        # As pyenv does it: the file in the working directory, or above it, chooses the Python.
        (shims / "python3").write_text(
            "#!/bin/bash\n"
            f"[ ! -e .python-version ] || {{ echo > '{self.marks}/.python-version'; exit 7; }}\n"
            f'exec "{Path(sys.executable).resolve()}" "$@"\n'
        )
        (shims / "python3").chmod(0o755)
        return {
            "HOME": str(home),
            "XDG_STATE_HOME": str(home),
            "PATH": os.pathsep.join([".", "", "bin", str(shims), "/usr/bin", "/bin", ""]),
            "LD_LIBRARY_PATH": ":.",
            "PYTHONPATH": f".:{self.runner.workspace}",
            "PYTHONSTARTUP": "sitecustomize.py",
            "PIP_CONFIG_FILE": "pip.conf",
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(self._links),
        }

    def ran(self) -> list[str]:
        """What of the checkout was run or obeyed."""
        return sorted(path.name for path in self.marks.iterdir())


def test_nothing_of_a_hostile_checkout_is_run(tmp_path: Path) -> None:
    """Neither step runs, imports or obeys anything of the checkout, whether the check times
    hashes or fails, and a committed SARIF file is never its result.

    It is one test, since the first step takes seconds.
    """
    checkout = Checkout(tmp_path)
    runner = checkout.runner
    installed = runner.install()
    assert [] == checkout.ran(), "by the first step"
    assert 0 == installed.code, installed.err
    assert ["hashcost"] == [path.name for path in runner.temporary.iterdir()]
    brought = {path.name for path in runner.temporary.rglob("*.dist-info")}
    assert {"stand_in-1.dist-info", "tool-1.dist-info"} <= brought, "with the extra argon2"

    before = sorted(runner.workspace.rglob("*"))
    timed = runner.check(sarif="cost.sarif")
    assert [] == checkout.ran(), "by a check that times"
    assert 1 == timed.code, timed.err
    assert "bcrypt" in timed.summary
    assert before == sorted(runner.workspace.rglob("*"))
    assert timed.sarif is not None
    assert not timed.sarif.is_relative_to(runner.workspace)
    assert "stale" != timed.sarif.read_text("utf-8")

    (runner.workspace / "broken.toml").write_text("check = 7")
    failed = runner.check(config="broken.toml", sarif="cost.sarif")
    assert [] == checkout.ran(), "by a check that fails"
    assert (2, None, []) == (failed.code, failed.sarif, failed.commands)
    assert "calibrate: broken.toml" in failed.err
