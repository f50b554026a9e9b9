"""Real programs that tests run, as far as they are here: `.ci/programs` fetches them."""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from _pytest.outcomes import Skipped

HERE: Final = Path(__file__).resolve().parent
CACHE: Final = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
SERVICES: Final = HERE / "services"
FETCH: Final = "fetch it with .ci/programs"
_BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome")


def _made_of(name: str, *sources: str) -> Path:
    """Name what was made of these sources; what was made of others counts as absent."""
    content = b"".join((HERE / name / source).read_bytes() for source in sources)
    return CACHE / f"hashcost-{name}-{hashlib.sha256(content).hexdigest()[:12]}"


BUILT: Final = _made_of("services", "Services.java", "pom.xml", "hashes.go", "go.mod", "go.sum")
_APPLICATIONS: Final = _made_of(
    "runtimes", "package.json", "pom.xml", "go.mod", "go.sum", "main.go"
)


class AbsentError(Skipped):
    """A program is not here; the message says which. A test that needs it is skipped."""


def command(name: str) -> str:
    """Where a command is; servers are not in everybody's path.

    Raises:
        AbsentError: it is not installed.
    """
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/go/bin")
    if found is None:
        raise AbsentError(f"{name} is absent; {FETCH}")
    return found


def browser() -> Path:
    """Where a browser is.

    Raises:
        AbsentError: there is none.
    """
    path = next((path for name in _BROWSERS if (path := shutil.which(name))), None)
    if path is None:
        raise AbsentError(f"Chromium is absent; {FETCH}")
    return Path(path)


def problems(*pages: Path) -> str:
    """What html-validate says of pages by the HTML standard.

    Raises:
        AbsentError: it is not here.
    """
    program = CACHE / "hashcost-browsers" / "node_modules" / ".bin" / "html-validate"
    if not program.exists() or shutil.which("node") is None:
        raise AbsentError(f"html-validate is absent; {FETCH}")
    settings = pages[0].with_name("html-validate.json")
    settings.write_text('{"root": true, "extends": ["html-validate:standard"]}', "utf-8")
    ended = subprocess.run(
        [program, "--config", settings, "--formatter", "text", *pages],
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert ended.returncode in (0, 1), ended.stderr
    assert (ended.returncode == 0) == (ended.stdout.strip() == ""), ended.stderr
    return ended.stdout


def project(runtime: str) -> Path:
    """The folder of an application with the runtime's libraries.

    Raises:
        AbsentError: it was not fetched.
    """
    found = _APPLICATIONS / runtime
    if not found.is_dir():
        raise AbsentError(f"the libraries of {runtime} are absent; {FETCH}")
    command(runtime)
    return found


def with_go(request: str) -> str:
    """What the Go program answers to a line."""
    return _answer(go_command(), request)


def with_java(request: str) -> str:
    """What the Java program answers to a line."""
    short = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")  # It ends before more pays off.
    return _answer(java_command(*short), f"1 {request}")


def go_command() -> list[str]:
    """The Go program, which answers each line of JSON with a hash that it has verified."""
    program = BUILT / "go" / "hashes"
    if not program.exists():
        raise AbsentError(f"the Go libraries of services are absent; {FETCH}")
    return [str(program)]


def java_command(*options: str) -> list[str]:
    """The Java program, which answers each line of words with a hash that it has verified."""
    classes = BUILT / "java" / "classes"
    if not classes.exists() or shutil.which("java") is None:
        raise AbsentError(f"the Java libraries of services are absent; {FETCH}")
    path = f"{BUILT / 'java' / 'jars'}/*{os.pathsep}{classes}"
    return ["java", *options, "-cp", path, "Services"]


def with_ruby(algorithm: str, cost: int) -> str:
    """What Foreman's code makes of the gems that are here."""
    if shutil.which("ruby") is None:
        raise AbsentError("Ruby is absent")
    known = subprocess.run(["ruby", "-e", 'require "bcrypt"'], capture_output=True, check=False)
    if known.returncode != 0:
        raise AbsentError("the gem bcrypt is absent")
    return _answer(["ruby", str(SERVICES / "foreman.rb"), algorithm, str(cost)], "")


def with_php(array: str) -> str:
    """What Nextcloud's code makes of these lines of its array with the PHP that is here."""
    if shutil.which("php") is None:
        raise AbsentError("PHP is absent")
    if "argon2id" not in _answer(["php", "-r", "echo join(' ', password_algos());"], ""):
        raise AbsentError("this PHP has no argon2id")
    return _answer(["php", "-r", (SERVICES / "nextcloud.php.txt").read_text("utf-8") % array], "")


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
