"""Which real programs can be timed, and how each is asked for a hash."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Final

import msgspec

from end_to_end.real_programs import BUILT, CACHE, AbsentError, go_command, java_command
from hashcost.core.measurement import Params

from .answering import asked
from .postgres import Login
from .process import AbsentProgramError, Command, Program

HERE: Final = Path(__file__).parent
FETCHED: Final = CACHE / "hashcost-benchmarks"
"""Where npm, pip and cargo put what they fetch."""

_PIP: Final = {
    "passlib": ("passlib_1_7", "passlib==1.7.4"),
    "argon2-ref": ("stand_in", "--no-binary=argon2-cffi-bindings", "argon2-cffi-bindings==26.2.0"),
}
"""The module that hashes with what pip takes, by program."""
_NPM: Final = ("bcrypt@6.0.0", "bcryptjs@3.0.3")
_LARGER: Final[dict[str, dict[int, Params]]] = {
    "argon2id": {
        16384: {"memory_kib": 19456, "time_cost": 2},
        32768: {"memory_kib": 65536, "time_cost": 2},
    },
    "scrypt": {32768: {"n": 65536}},
}
"""Costs that stand for those in so many KiB and more.

From 32 MiB on, glibc gives each hash of the stand-in fresh pages.
"""


class Case(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One hasher of one application, run by the library that the application runs."""

    app: str
    hasher: str
    library: str
    """The file in ``data/libraries`` that has the factor."""
    program: str
    params: Params
    """A cost of some tens of milliseconds."""
    most: Params = {}
    """Params of the largest step of memory, if they differ from those of others."""
    asks: str = ""
    """The program's own words for a hash, with params in braces."""
    idles: str = ""
    """The command that does all but hash, of a program that hashes once and ends."""
    variant: str = ""
    settings: dict[str, str] = {}
    """The program's names of the params, if it takes them apart."""
    versions_of: tuple[str, ...] = ()
    """Packages, modules or jars that the hash rests on."""
    build: str = ""
    """The build, where a library has several that differ."""
    from_kib: int = 0
    """The least memory that the factor holds for."""

    @property
    def first(self) -> int:
        """Hashes that a request takes besides those that it asks for."""
        return int(self.program in {"java", "go"})

    @property
    def warm_up(self) -> float:
        """The least seconds until the program's time has settled."""
        return {"java": 8.0, "node": 1.0}.get(self.program, 0.2)

    def request(self, times: int) -> str:
        """Write the line that asks for a hash, verified so many times."""
        if self.program in {"command", "postgres"}:
            return str(times)
        if self.program in {"java", "ring"}:
            return f"{times} {self.asks.format(**self.params)}"
        if self.program == "go":
            algorithm = self.asks.format(**self.params)
            settings = {name: self.params[param] for param, name in self.settings.items()}
            by = {"App": self.app, "Algorithm": algorithm, "Variant": self.variant}
            return json.dumps({**by, "Settings": settings, "Times": times})
        return asked(self.asks or self.hasher, self.params, times)

    def start(self) -> Program | Command:
        """Start the program.

        Raises:
            AbsentProgramError: it cannot be had here.
        """
        python = [sys.executable, "-m"]
        match self.program:
            case "java" | "go":
                try:
                    return Program(java_command() if self.program == "java" else go_command())
                except AbsentError as error:
                    raise AbsentProgramError(str(error)) from error
            case "command":
                hashes = self.asks.format(**self.params)
                return Command(shlex.split(hashes), shlex.split(self.idles))
            case "postgres":
                return Login(self.asks, self.params["iterations"])
            case "ring":
                folder = FETCHED / "ring"
                shutil.copytree(HERE / "ring", folder, dirs_exist_ok=True)
                manifest = folder / "Cargo.toml"
                _fetched("cargo", "build", "-q", "--release", "--manifest-path", str(manifest))
                return Program([str(folder / "target/release/ring-pbkdf2")])
            case "libargon2":
                return Program([*python, f"{__package__}.libargon2"])
            case "passlib" | "argon2-ref":
                folder = FETCHED / self.program
                module, *packages = _PIP[self.program]
                if not folder.exists():
                    pip = (*python, "pip", "install", "-q", "--no-deps", "--target", str(folder))
                    _fetched(*pip, *packages, ARGON2_CFFI_USE_SSE2="0")
                return Program([*python, f"{__package__}.{module}"], {"PYTHONPATH": str(folder)})
            case "node":
                if self.asks and not (FETCHED / "node_modules" / self.asks).exists():
                    FETCHED.mkdir(parents=True, exist_ok=True)
                    _fetched("npm", "install", "--prefix", str(FETCHED), "--no-save", *_NPM)
                folder = FETCHED if FETCHED.exists() else HERE
                return Program(["env", f"--chdir={folder}", "node", str(HERE / "node.mjs")])
            case interpreter:
                script = {"php": "php.php", "ruby": "ruby.rb"}[interpreter]
                return Program([interpreter, str(HERE / script)])

    def versions(self) -> str:
        """Name the versions of the libraries and of what runs them."""
        match self.program:
            case "java":
                java = _said("java", "-version").split('"')[1]
                jars = BUILT / "java" / "jars"
                stems = (next(jars.glob(f"{jar}-[0-9]*.jar")).stem for jar in self.versions_of)
                return ", ".join([*stems, f"Java {java}"])
            case "go":
                (module,) = self.versions_of
                said = _said("go", "version", "-m", *go_command())
                patterns = (rf"{re.escape(module)}\s+v(\S+)", r": go(\S+)")
                version, go = (re.findall(pattern, said)[0] for pattern in patterns)
                return f"{module} {version}, Go {go}"
            case "postgres" if not self.versions_of:
                return f"psycopg-binary {metadata.version('psycopg-binary')}"
            case "command" | "postgres" | "libargon2":
                return _packages(*self.versions_of)
            case "argon2-ref":
                return "argon2-cffi-bindings 26.2.0 without SSE2"
            case "ring":
                return f"ring 0.17.14, {_said('rustc', '--version').strip()}"
            case "passlib":
                python = sys.version.split()[0]
                return f"passlib 1.7.4, Python {python}, {_packages(*self.versions_of)}"
            case "node":
                node = f"Node {_said('node', '--version').strip().lstrip('v')}"
                if not self.asks:
                    return node
                manifest = FETCHED / "node_modules" / self.asks / "package.json"
                return f"{self.asks} {json.loads(manifest.read_text('utf-8'))['version']}, {node}"
            case interpreter:
                return " ".join(_said(interpreter, "--version").split()[:2])


class _Cases(msgspec.Struct, forbid_unknown_fields=True):
    case: tuple[Case, ...]


@cache
def cases() -> tuple[Case, ...]:
    """Every program that can be timed anywhere, at each step of memory that its factor has."""
    listed = msgspec.toml.decode(HERE.joinpath("cases.toml").read_bytes(), type=_Cases).case
    stepped = []
    for case in listed:
        larger = _LARGER.get(case.hasher, {})
        stepped.append(case)
        for least, step in larger.items():
            most = case.most if least == max(larger) else {}
            params = {**case.params, **step, **most}
            stepped.append(msgspec.structs.replace(case, params=params, from_kib=least))
    return tuple(stepped)


def _fetched(*command: str, **environment: str) -> None:
    env = {**os.environ, **environment}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    if done.returncode != 0:
        said = done.stderr.strip().splitlines() or [f"{command[0]} fails"]
        raise AbsentProgramError(said[-1])


def _said(*command: str) -> str:
    """The output of a program, on either stream."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout or done.stderr


def _packages(*names: str) -> str:
    """The versions of Debian packages, of which at least one is installed."""
    versions = (f"{name} {_said('dpkg-query', '-Wf', '${Version}', name)}" for name in names)
    return ", ".join(version for version in versions if "no packages" not in version)
