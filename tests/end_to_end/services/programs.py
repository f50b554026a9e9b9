"""The real libraries, built once: ``python -m end_to_end.services.programs`` in ``tests/``.

It fetches what is absent with go and mvn, and leaves all in a cache folder of its own.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parent
CACHE: Final = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
SOURCES: Final = ("Services.java", "pom.xml", "hashes.go", "go.mod", "go.sum")
_VERSION: Final = hashlib.sha256(b"".join((HERE / name).read_bytes() for name in SOURCES))
FOLDER: Final = CACHE / f"hashcost-services-{_VERSION.hexdigest()[:12]}"
"""What was built of other sources counts as absent."""
BUILD: Final = "build it with: cd tests && python -m end_to_end.services.programs"

_COPY: Final = "org.apache.maven.plugins:maven-dependency-plugin:3.7.0:copy-dependencies"


class AbsentError(Exception):
    """A program is not here; the message says which."""


def with_go(request: str) -> str:
    """What the Go program answers to a line."""
    return _answer(go_command(), request)


def with_java(request: str) -> str:
    """What the Java program answers to a line."""
    short = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")  # It ends before more pays off.
    return _answer(java_command(*short), f"1 {request}")


def go_command() -> list[str]:
    """The Go program, which answers each line of JSON with a hash that it has verified."""
    program = FOLDER / "go" / "hashes"
    if not program.exists():
        raise AbsentError(f"the Go libraries of services are absent; {BUILD}")
    return [str(program)]


def java_command(*options: str) -> list[str]:
    """The Java program, which answers each line of words with a hash that it has verified."""
    classes = FOLDER / "java" / "classes"
    if not classes.exists() or shutil.which("java") is None:
        raise AbsentError(f"the Java libraries of services are absent; {BUILD}")
    path = f"{FOLDER / 'java' / 'jars'}/*{os.pathsep}{classes}"
    return ["java", *options, "-cp", path, "Services"]


def with_ruby(algorithm: str, cost: int) -> str:
    """What Foreman's code makes of the gems that are here."""
    if shutil.which("ruby") is None:
        raise AbsentError("Ruby is absent")
    known = subprocess.run(["ruby", "-e", 'require "bcrypt"'], capture_output=True, check=False)
    if known.returncode != 0:
        raise AbsentError("the gem bcrypt is absent")
    return _answer(["ruby", str(HERE / "foreman.rb"), algorithm, str(cost)], "")


def with_php(array: str) -> str:
    """What Nextcloud's code makes of these lines of its array with the PHP that is here."""
    if shutil.which("php") is None:
        raise AbsentError("PHP is absent")
    if "argon2id" not in _answer(["php", "-r", "echo join(' ', password_algos());"], ""):
        raise AbsentError("this PHP has no argon2id")
    return _answer(["php", "-r", (HERE / "nextcloud.php.txt").read_text("utf-8") % array], "")


def _answer(command: Sequence[str], request: str) -> str:
    ended = subprocess.run(
        command,
        input=request + "\n",
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.strip()


def _build() -> None:
    """Fetch and build what this machine has the tools for."""
    go, java = FOLDER / "go", FOLDER / "java"
    if shutil.which("go"):
        go.mkdir(parents=True, exist_ok=True)
        for name in ("hashes.go", "go.mod", "go.sum"):
            shutil.copy(HERE / name, go)
        subprocess.run(["go", "build", "-o", "hashes", "."], cwd=go, check=True)
    if shutil.which("mvn") and shutil.which("javac"):
        jars = java / "jars"
        where = f"-DoutputDirectory={jars}"
        scope = "-DincludeScope=runtime"
        pom = HERE / "pom.xml"
        subprocess.run(["mvn", "-q", "-B", "-f", pom, _COPY, scope, where], check=True)
        source = HERE / "Services.java"
        classes = java / "classes"
        subprocess.run(["javac", "-nowarn", "-cp", f"{jars}/*", "-d", classes, source], check=True)


if __name__ == "__main__":
    _build()
    sys.exit(0)
