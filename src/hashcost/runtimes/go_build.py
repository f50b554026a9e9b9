"""Build Go's probe in the application's module, so that it has the module's libraries.

`go build -overlay` makes a package that is in no folder, so nothing is left in the project. It is
built here, where the sources are, for the system that it is going to run on. Nothing is fetched.
"""

import json
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from hashcost.core.errors import UnavailableError
from hashcost.core.package_data import data_names, data_text
from hashcost.core.text import printable
from hashcost.machine.environment import child_environment
from hashcost.runtimes.session import ABSENT, shell_output
from hashcost.runtimes.table import runtime_named
from hashcost.storage.files import scratch_folder

_SOURCES: Final = "runtimes/probes/go"
_PACKAGE: Final = "hashcost-probe"
_IMPORT: Final = re.compile(r'^import "([a-z0-9./]+)"$', re.MULTILINE)
_PROVIDES: Final = re.compile(r'hashers\["([^"]+)"')
# Where no project is named: only the standard library.
_MODULE: Final = "module probe\n\ngo 1.20\n"
_NO_MODULE: Final = "it is not in Go's standard library; name a module that has it with --project"
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


def build(command: str, project: str | None, prefix: Sequence[str] = ()) -> bytes:
    """Build the probe for the system behind the prefix.

    Args:
        command: Go, on this side.
        project: A folder of the application's module; None for only the standard library.
        prefix: The way to the system that it will run on.

    Raises:
        UnavailableError: Go is missing, or the module does not build.
    """
    environment = dict(_NOTHING_FETCHED)
    # Go builds for any system, so that only the program has to be sent there.
    if prefix:
        output = shell_output([*prefix, "sh"], b"uname -s -m", _UNAME_SECONDS)
        # A shell may greet first: the last two words are those of uname.
        system, processor = ["", "", *output.decode("utf-8", "replace").split()][-2:]
        if system not in _SYSTEMS or processor not in _PROCESSORS:
            unknown = printable(f"{system} {processor}")[:60]
            raise UnavailableError(f"Go's probe cannot be built for what runs there: {unknown}")
        environment |= {"GOOS": _SYSTEMS[system], "GOARCH": _PROCESSORS[processor]}
    with scratch_folder() as scratch:
        if project is None:
            folder = scratch / "module"
            folder.mkdir()
            (folder / "go.mod").write_text(_MODULE, "utf-8")
            # Others may have put a go.work above the scratch folder.
            environment["GOWORK"] = "off"
        else:
            folder = Path(project).absolute()
        go = _Go(command, folder, environment)
        names = data_names(_SOURCES, ".go")
        sources = {f"{name}.go": data_text(f"{_SOURCES}/{name}.go") for name in names}
        try:
            return go.built(sources, {}, scratch)
        except UnavailableError:
            # To ask what is absent takes a third of the time, and most often nothing is.
            absent = go.absent(sources)
            if not absent:
                raise
            if project is None:
                absent = dict.fromkeys(absent, _NO_MODULE)
        return go.built(sources, absent, scratch)


class _Go(msgspec.Struct, frozen=True):
    """The command, in the folder of a module."""

    command: str
    folder: Path
    environment: Mapping[str, str]

    def absent(self, sources: Mapping[str, str]) -> dict[str, str]:
        """The files whose package the module does not have, with the reason."""
        packages = {}
        for name, text in sources.items():
            # The file of a library that Go does not bring imports it on a line of its own.
            match = _IMPORT.search(text)
            if match is not None:
                packages[name] = match[1]
        listed = self.run("list", "-e", "-json", *sorted({*packages.values()})).strip()
        reasons: dict[str, str] = {}
        while listed:  # JSON values follow one another.
            package, end = json.JSONDecoder().raw_decode(listed)
            listed = listed[end:].lstrip()
            for error in (package.get("Error"), *(package.get("DepsErrors") or ())):
                if error:
                    reasons.setdefault(package["ImportPath"], printable(error["Err"]))
        return {name: reasons[path] for name, path in packages.items() if path in reasons}

    def built(self, sources: Mapping[str, str], absent: Mapping[str, str], scratch: Path) -> bytes:
        """Build these files without the absent ones, whose hashers give the reason instead."""
        reasons = [
            f"\treasons[{json.dumps(hasher)}] = {json.dumps(reason)}"
            for name, reason in absent.items()
            for hasher in _PROVIDES.findall(sources[name])
        ]
        package = {name: text for name, text in sources.items() if name not in absent}
        package["absent.go"] = "\n".join(["package main", "", "func init() {", *reasons, "}", ""])
        overlay = {}
        for name, text in package.items():
            (scratch / name).write_text(text, "utf-8")
            overlay[str(self.folder / _PACKAGE / name)] = str(scratch / name)
        (scratch / "overlay.json").write_text(json.dumps({"Replace": overlay}), "utf-8")
        options = ["-overlay", str(scratch / "overlay.json"), "-buildvcs=false", "-ldflags=-s -w"]
        self.run("build", *options, "-o", str(scratch / "probe"), f"./{_PACKAGE}")
        return (scratch / "probe").read_bytes()

    def run(self, *arguments: str) -> str:
        # `env` sets them, and ends with 127 if there is no such command.
        settings = [f"{name}={value}" for name, value in self.environment.items()]
        try:
            ended = subprocess.run(  # noqa: S603 (the user's Go)
                ["env", *settings, self.command, *arguments],  # noqa: S607 (of POSIX)
                cwd=self.folder,
                env=child_environment(runtime_named("go").variables),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_BUILD_SECONDS,
                check=False,
            )
        except OSError as error:
            raise UnavailableError(
                f"go {arguments[0]} in {self.folder}: {error.strerror};"
                " name a folder of the module"
            ) from error
        except subprocess.TimeoutExpired as error:
            raise UnavailableError(
                f"go {arguments[0]} has not ended after {_BUILD_SECONDS:.0f} s;"
                " try again when the machine is less busy"
            ) from error
        if ended.returncode == ABSENT:
            raise UnavailableError(
                f"Go builds its probe on this side, and there is no {self.command};"
                " install it with `apt-get install golang-go`"
            )
        if ended.returncode:
            said = printable(ended.stderr.decode("utf-8", "replace"))
            raise UnavailableError(f"go {arguments[0]} in {self.folder}: {said[:300]}")
        return ended.stdout.decode("utf-8", "replace")
