"""The runtimes and their libraries: ``python -m end_to_end.runtimes.projects`` in ``tests/``.

It fetches what is absent: runtimes with apt-get where it may, and libraries with npm, mvn and
go into an application each, in a cache folder of its own.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parent
CACHE: Final = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
_SOURCES: Final = ("package.json", "pom.xml", "go.mod", "go.sum", "main.go")
_VERSION: Final = hashlib.sha256(b"".join((HERE / name).read_bytes() for name in _SOURCES))
FOLDER: Final = CACHE / f"hashcost-runtimes-{_VERSION.hexdigest()[:12]}"
"""What was fetched for other sources counts as absent."""
FETCH: Final = "fetch it with: cd tests && python -m end_to_end.runtimes.projects"

_PACKAGES: Final = {
    "node": ("nodejs", "npm"),
    "php": ("php-cli",),
    "ruby": ("ruby",),
    "perl": ("perl",),
    "java": ("default-jdk-headless", "maven"),
    "go": ("golang-go",),
    # What is tried on the way there: other hosts, another shell.
    "sshd": ("openssh-server",),
    "ip": ("iproute2",),
    "busybox": ("busybox-static",),
    "docker": ("docker.io",),
    "dockerd": ("docker.io",),
    "cc": ("gcc", "libc6-dev", "libcrypt-dev"),
}
"""By the command that they bring, as Debian calls them."""
_GEMS: Final = ("ruby-bcrypt", "libcrypt-eksblowfish-perl")
"""Libraries of Ruby and Perl."""


class AbsentError(Exception):
    """A runtime or its libraries are not here; the message says which."""


def project(runtime: str) -> Path:
    """The folder of an application with the runtime's libraries.

    Raises:
        AbsentError: it was not fetched.
    """
    if runtime not in _LIBRARIES:
        raise AbsentError(f"{runtime} has no libraries beside its own")
    command(runtime)
    found = FOLDER / runtime
    if not found.is_dir():
        raise AbsentError(f"the libraries of {runtime} are absent; {FETCH}")
    return found


def command(name: str) -> str:
    """Where a command is.

    Raises:
        AbsentError: it is not installed.
    """
    found = _where(name)
    if found is None:
        packages = " ".join(_PACKAGES[name])
        raise AbsentError(f"{name} is absent; install it with `apt-get install {packages}`")
    return found


def _where(name: str) -> str | None:
    # Servers are not in everybody's path.
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/go/bin")


def _npm(folder: Path) -> None:
    shutil.copy(HERE / "package.json", folder)
    _run("npm", "install", "--silent", "--no-audit", "--no-fund", cwd=folder)


def _maven(folder: Path) -> None:
    shutil.copy(HERE / "pom.xml", folder)
    _run("mvn", "-q", "-B", "dependency:copy-dependencies", cwd=folder)


def _go(folder: Path) -> None:
    for name in ("go.mod", "go.sum", "main.go"):
        shutil.copy(HERE / name, folder)
    _run("go", "mod", "download", cwd=folder)


_LIBRARIES: Final[dict[str, Callable[[Path], None]]] = {"node": _npm, "java": _maven, "go": _go}


def _fetch() -> None:
    """Install what may be, and fetch what this machine has the tools for."""
    if os.geteuid() == 0 and shutil.which("apt-get"):
        lacking = [each for name in _PACKAGES if not _where(name) for each in _PACKAGES[name]]
        lacking += [
            each for each in _GEMS if not Path("/var/lib/dpkg/info", f"{each}.list").exists()
        ]
        if lacking:
            _run("apt-get", "-qq", "update")
            _run("apt-get", "-qq", "-y", "--no-install-recommends", "install", *lacking)
    for runtime, fetch in _LIBRARIES.items():
        if _where(runtime) is None or (FOLDER / runtime).is_dir():
            continue
        # Only what is whole has its name.
        begun = FOLDER / f"{runtime}-begun"
        shutil.rmtree(begun, ignore_errors=True)
        begun.mkdir(parents=True)
        fetch(begun)
        begun.rename(FOLDER / runtime)
    for name in _PACKAGES:
        if _where(name) is None:
            print(f"without {name}", file=sys.stderr)


def _run(*command: str, cwd: Path | None = None) -> None:
    ended = subprocess.run(command, cwd=cwd, check=False)
    if ended.returncode:
        print(f"{command[0]} ended with {ended.returncode}", file=sys.stderr)
        raise SystemExit(1)


if __name__ == "__main__":
    _fetch()
