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
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from hashcost.core.errors import UnavailableError
from hashcost.core.text import printable
from hashcost.runtimes.delivery import ABSENT
from hashcost.runtimes.session import shell_output

_SOURCES: Final = files("hashcost.runtimes").joinpath("probes", "go")
_PACKAGE: Final = "hashcost-probe"
_IMPORT: Final = re.compile(r'^import "([a-z0-9./]+)"$', re.MULTILINE)
_PROVIDES: Final = re.compile(r'hashers\["([^"]+)"')
_MODULE: Final = "module probe\n\ngo 1.20\n"
"""For whoever is in no module: it has only the standard library."""
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
_NOTHING_FETCHED: Final = {"GOPROXY": "off", "CGO_ENABLED": "0"}
_BUILD_SECONDS: Final = 120.0
_UNAME_SECONDS: Final = 15.0


def build(go: str, project: str | None, prefix: Sequence[str] = ()) -> bytes:
    """The probe as a program for the system behind the prefix.

    Args:
        go: The command, on this side.
        project: A folder of the application's module; None for this folder if it is one, else
            for only the standard library.
        prefix: What leads to the system that it will run on.

    Raises:
        UnavailableError: there is no Go, or the module does not build.
    """
    with tempfile.TemporaryDirectory(prefix="hashcost-") as name:
        scratch = Path(name)
        tool = _Go(go, Path(project or ".").absolute(), {**_NOTHING_FETCHED, **_target(prefix)})
        if project is None and not tool.has_module():
            tool = replace(tool, folder=_empty_module(scratch / "module"))
        sources = {each.name: each.read_text("utf-8") for each in _SOURCES.iterdir()}
        try:
            return tool.built({**sources, "absent.go": _reasons({})}, scratch)
        except UnavailableError:
            # To ask what is absent takes a third of the time, and most often nothing is.
            left_out = tool.left_out(sources)
            if not left_out:
                raise
        found = {file: text for file, text in sources.items() if file not in left_out}
        reasons = {sources[file]: why for file, why in left_out.items()}
        return tool.built({**found, "absent.go": _reasons(reasons)}, scratch)


def _empty_module(folder: Path) -> Path:
    folder.mkdir()
    (folder / "go.mod").write_text(_MODULE, "utf-8")
    return folder


@dataclass(frozen=True)
class _Go:
    """The command, in the folder of a module."""

    command: str
    folder: Path
    environment: Mapping[str, str]

    def has_module(self) -> bool:
        """Whether the folder is in a module."""
        return self._run("env", "GOMOD").strip() not in {"", os.devnull}

    def left_out(self, sources: Mapping[str, str]) -> Mapping[str, str]:
        """The files whose package the module does not have, with the reason."""
        packages = {
            file: found[1] for file, text in sources.items() if (found := _IMPORT.search(text))
        }
        absent: dict[str, str] = {}
        for package in _values(self._run("list", "-e", "-json", *sorted({*packages.values()}))):
            errors = [package.get("Error"), *(package.get("DepsErrors") or ())]
            for error in filter(None, errors):
                absent.setdefault(package["ImportPath"], printable(error["Err"]))
        return {file: absent[path] for file, path in packages.items() if path in absent}

    def built(self, sources: Mapping[str, str], scratch: Path) -> bytes:
        """The program that these files are the package of."""
        overlay = {}
        for name, text in sources.items():
            (scratch / name).write_text(text, "utf-8")
            overlay[str(self.folder / _PACKAGE / name)] = str(scratch / name)
        (scratch / "overlay.json").write_text(json.dumps({"Replace": overlay}), "utf-8")
        options = ["-overlay", str(scratch / "overlay.json"), "-buildvcs=false", "-ldflags=-s -w"]
        self._run("build", *options, "-o", str(scratch / "probe"), f"./{_PACKAGE}")
        return (scratch / "probe").read_bytes()

    def _run(self, *arguments: str) -> str:
        settings = [f"{name}={value}" for name, value in self.environment.items()]
        try:
            ended = subprocess.run(  # noqa: S603 (the user's Go)
                ["env", *settings, self.command, *arguments],  # noqa: S607 (of POSIX)
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_BUILD_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise UnavailableError(f"go {arguments[0]}: {printable(str(error))}") from error
        if ended.returncode == ABSENT:
            raise UnavailableError(
                f"Go builds its probe on this side, and there is no {self.command};"
                " install it with `apt-get install golang-go`"
            )
        if ended.returncode:
            said = printable(ended.stderr.decode("utf-8", "replace"))
            raise UnavailableError(f"go {arguments[0]} in {self.folder}: {said[:300]}")
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
    assigned = (
        f"\treasons[{json.dumps(name)}] = {json.dumps(why)}"
        for source, why in left_out.items()
        for name in _PROVIDES.findall(source)
    )
    return "\n".join(["package main", "", "func init() {", *assigned, "}", ""])


def _target(prefix: Sequence[str]) -> dict[str, str]:
    """What it is to be built for: this system, or what the one behind the prefix says it is."""
    if not prefix:
        return {}
    told = shell_output([*prefix, "sh"], b"uname -s -m\n", _UNAME_SECONDS)
    system, processor = ["", "", *told.decode("utf-8", "replace").split()][-2:]
    if system not in _SYSTEMS or processor not in _PROCESSORS:
        unknown = printable(f"{system} {processor}")[:60]
        raise UnavailableError(f"Go's probe cannot be built for what runs there: {unknown}")
    return {"GOOS": _SYSTEMS[system], "GOARCH": _PROCESSORS[processor]}
