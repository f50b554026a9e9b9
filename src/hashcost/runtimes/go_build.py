"""Go's probe as a program, built in the application's module so that it has its libraries.

`go build -overlay` makes a package that is in no folder, so nothing is left in the project. It is
built here, where the sources are, for the system that it is going to run on. Nothing is fetched.
"""

import json
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from hashcost.core.errors import UnavailableError, printable

_SOURCES: Final = files("hashcost.runtimes").joinpath("probes", "go")
_PACKAGE: Final = "hashcost-probe"
_IMPORT: Final = re.compile(r'^import "([a-z0-9./]+)"$', re.MULTILINE)
_PROVIDES: Final = re.compile(r'hashers\["([^"]+)"')
_MODULE: Final = "module probe\n\ngo 1.20\n"
"""For whoever names no project: it has only the standard library."""
_SYSTEMS: Final = {"Linux": "linux", "Darwin": "darwin", "FreeBSD": "freebsd"}
_PROCESSORS: Final = {
    "x86_64": "amd64",
    "amd64": "amd64",
    "aarch64": "arm64",
    "arm64": "arm64",
    "armv6l": "arm",
    "armv7l": "arm",
    "i686": "386",
    "ppc64le": "ppc64le",
    "riscv64": "riscv64",
    "s390x": "s390x",
}
_BUILD_SECONDS: Final = 120.0
_UNAME_SECONDS: Final = 15.0


def build(go: str, project: str | None, prefix: Sequence[str] = ()) -> bytes:
    """The probe as a program for the system behind the prefix.

    Args:
        go: The command, on this side.
        project: A folder of the application's module; None for only the standard library.
        prefix: What leads to the system that it will run on.

    Raises:
        UnavailableError: there is no Go, or the module does not build.
    """
    with tempfile.TemporaryDirectory(prefix="hashcost-") as name:
        scratch = Path(name)
        module = Path(project).absolute() if project is not None else scratch / "module"
        if project is None:
            module.mkdir()
            (module / "go.mod").write_text(_MODULE, "utf-8")
        sources = {each.name: each.read_text("utf-8") for each in _SOURCES.iterdir()}
        packages = {file: found[1] for file, text in sources.items() if (found := _IMPORT.search(text))}
        tool = _Go(go, module, {**_NOTHING_FETCHED, **_target(prefix)})
        absent = tool.absent(sorted({*packages.values()}))
        left_out = {file: absent[path] for file, path in packages.items() if path in absent}
        sources["absent.go"] = _reasons({sources.pop(file): why for file, why in left_out.items()})
        return tool.built(sources, scratch)


_NOTHING_FETCHED: Final = {"GOPROXY": "off", "CGO_ENABLED": "0"}


class _Go:
    """The command, in the folder of a module."""

    def __init__(self, command: str, module: Path, environment: Mapping[str, str]) -> None:
        self._command, self._module = command, module
        self._environment = {**os.environ, **environment}

    def absent(self, packages: Sequence[str]) -> Mapping[str, str]:
        """Which packages the module does not have, with the reason."""
        found: dict[str, str] = {}
        for package in _values(self._run("list", "-e", "-json", *packages)):
            errors = [package.get("Error"), *(package.get("DepsErrors") or ())]
            for error in filter(None, errors):
                found.setdefault(package["ImportPath"], printable(error["Err"]))
        return found

    def built(self, sources: Mapping[str, str], scratch: Path) -> bytes:
        """The program that these files are the package of."""
        overlay = {}
        for name, text in sources.items():
            (scratch / name).write_text(text, "utf-8")
            overlay[str(self._module / _PACKAGE / name)] = str(scratch / name)
        (scratch / "overlay.json").write_text(json.dumps({"Replace": overlay}), "utf-8")
        options = ["-overlay", str(scratch / "overlay.json"), "-buildvcs=false", "-ldflags=-s -w"]
        self._run("build", *options, "-o", str(scratch / "probe"), f"./{_PACKAGE}")
        return (scratch / "probe").read_bytes()

    def _run(self, *arguments: str) -> str:
        try:
            ended = subprocess.run(
                [self._command, *arguments],
                cwd=self._module,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_BUILD_SECONDS,
                check=False,
            )
        except FileNotFoundError as error:
            if not self._module.is_dir():
                raise UnavailableError(f"--project {self._module}: there is no such folder") from error
            raise UnavailableError(
                f"Go builds its probe on this side, and there is no {self._command};"
                " install it with `apt-get install golang-go`"
            ) from error
        except (OSError, subprocess.TimeoutExpired) as error:
            raise UnavailableError(f"go {arguments[0]}: {printable(str(error))}") from error
        if ended.returncode:
            said = ended.stderr.decode("utf-8", "replace").strip()
            raise UnavailableError(f"go {arguments[0]} in {self._module}: {printable(said)[:300]}")
        return ended.stdout.decode("utf-8", "replace")


def _values(text: str) -> Iterator[dict[str, Any]]:
    """The JSON values that follow one another."""
    decoder = json.JSONDecoder()
    text = text.strip()
    while text:
        value, end = decoder.raw_decode(text)
        yield value
        text = text[end:].lstrip()


def _reasons(left_out: Mapping[str, str]) -> str:
    """A Go file that says why a hasher is not there; by the sources that would have had it."""
    lines = ["package main", "", "func init() {"]
    for source, why in left_out.items():
        for name in _PROVIDES.findall(source):
            lines.append(f"\treasons[{json.dumps(name)}] = {json.dumps(why)}")
    return "\n".join([*lines, "}", ""])


def _target(prefix: Sequence[str]) -> dict[str, str]:
    """What it is to be built for: this system, or what the one behind the prefix says it is."""
    if not prefix:
        return {}
    try:
        ended = subprocess.run(
            [*prefix, "sh"],
            input=b"uname -s -m\n",
            capture_output=True,
            timeout=_UNAME_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UnavailableError(f"{prefix[0]} does not start a shell: {error}") from error
    words = ended.stdout.decode("utf-8", "replace").split()
    system, processor = words[-2:] if len(words) > 1 else ("", "")
    if system not in _SYSTEMS or processor not in _PROCESSORS:
        said = printable(ended.stderr.decode("utf-8", "replace"))[-200:]
        raise UnavailableError(f"the other side does not tell what it runs on{said and f': {said}'}")
    return {"GOOS": _SYSTEMS[system], "GOARCH": _PROCESSORS[processor]}
