"""``python -m tests.tools.ansible_checks``: ansible-test's sanity tests and ansible-lint.

Both want the collection in a folder of collections, and a repository of its own. They get a copy,
and a home of their own in the user's cache, where ansible-test keeps the linters that it fetches.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
CACHE: Final = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
HOME: Final = CACHE / "hashcost-ansible"
_LINT: Final = ("ansible-lint>=26",)
_SAVED_TO: Final = re.compile(r"manually downloaded and saved to: (\S+)")
_BOOTSTRAP: Final = '''\
"""Stands in for get-pip where its site is out of reach: the pip that Python has fetches it."""

import ensurepip
import os
import runpy
import sys

ensurepip.bootstrap()
os.environ.pop("PIP_CONFIG_FILE", None)
sys.argv[1:] = ["install", *(each for each in sys.argv[1:] if not each.startswith("--no-"))]
runpy.run_module("pip", run_name="__main__", alter_sys=True)
'''


def main() -> int:
    """Run both; the exit code of the first that fails."""
    HOME.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "ansible_collections/hashcost/calibrate"
        shutil.copytree(ROOT / "ansible", folder, ignore=shutil.ignore_patterns("__pycache__"))
        for words in (["init", "--quiet"], ["add", "--all"]):
            subprocess.run(["git", *words], cwd=folder, check=True)
        return sanity(folder) or lint(folder)


def sanity(folder: Path) -> int:
    """Every sanity test that can run here, on every Python that is here."""
    config = HOME / ".config/pip/pip.conf"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(pip_config(os.environ))
    environment = {**os.environ, "HOME": str(HOME), "PATH": _path()}
    ended = _run(["ansible-test", "sanity", "--local", "--color", "no"], folder, environment)
    if ended.returncode and (saved := _SAVED_TO.search(ended.stdout)):
        Path(saved[1]).write_text(_BOOTSTRAP)
        ended = _run(["ansible-test", "sanity", "--local", "--color", "no"], folder, environment)
    print(ended.stdout if ended.returncode else _tests_in(ended.stdout))
    return ended.returncode


def lint(folder: Path) -> int:
    """ansible-lint, in an environment of its own: it pins much."""
    home = HOME / "lint-{}.{}".format(*sys.version_info)
    program = home / "bin/ansible-lint"
    if not program.exists():
        venv.create(home, with_pip=True, clear=True)
        subprocess.run([home / "bin/pip", "install", "--quiet", *_LINT], check=True)
    environment = {
        **os.environ,
        "PATH": f"{home / 'bin'}:{os.environ['PATH']}",
        "ANSIBLE_COLLECTIONS_PATH": str(folder.parents[2]),
        "ANSIBLE_HOME": str(HOME / "ansible"),
        "NO_COLOR": "1",
    }
    ended = _run([str(program)], folder, environment)
    print(ended.stdout.strip().splitlines()[-1] if not ended.returncode else ended.stdout)
    return ended.returncode


def pip_config(environment: Mapping[str, str]) -> str:
    """What the environment tells pip, as a file: ansible-test hides the environment from it."""
    given = {
        name.removeprefix("PIP_").lower().replace("_", "-"): value
        for name, value in environment.items()
        if name.startswith("PIP_") and value
    }
    return "".join(["[global]\n", *(f"{name} = {value}\n" for name, value in given.items())])


def _path() -> str:
    """Real Pythons only: of a version that it does not have, a shim of pyenv's ends with 127."""
    homes = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    shims = str(homes.parent / "shims")
    pythons = [str(folder) for folder in sorted(homes.glob("3.*/bin"))]
    others = [folder for folder in os.environ["PATH"].split(os.pathsep) if folder != shims]
    return os.pathsep.join([str(Path(sys.executable).parent), *pythons, *others])


def _run(
    command: Sequence[str], folder: Path, environment: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def _tests_in(log: str) -> str:
    return f"{log.count('Running sanity test')} sanity tests passed"


if __name__ == "__main__":
    sys.exit(main())
