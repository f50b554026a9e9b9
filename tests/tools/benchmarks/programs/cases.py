"""Which real programs can be timed, and how each is asked for a hash."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Final

from end_to_end.services.programs import CACHE, FOLDER, AbsentError, go_command, java_command

from .answering import asked
from .database import Client, HashingServer
from .process import AbsentProgramError, Program, Timed

HERE: Final = Path(__file__).parent
FETCHED: Final = CACHE / "hashcost-benchmarks"
"""What npm and pip have fetched."""

_PASSLIB: Final = "passlib==1.7.4"
_NPM: Final = ("bcrypt@6.0.0", "bcryptjs@3.0.3")

Request = Callable[[Mapping[str, int], int], str]


@dataclass(frozen=True)
class Case:
    """One hasher of one application, run by the library that the application runs."""

    app: str
    hasher: str
    library: str
    """The file in ``data/libraries`` that has the factor."""
    params: Mapping[str, int]
    """A cost of some tens of milliseconds."""
    start: Callable[[], Timed]
    request: Request
    """The line that asks for a hash of some params, verified so many times."""
    versions: Callable[[], str]
    first: int = 0
    """Hashes that a request takes besides those that it asks for."""
    build: str = ""
    """The build, where a library has several that differ."""
    from_kib: int = 0
    """The least memory that the factor holds for."""
    warm_up: float = 0.2
    """The least seconds until its time has settled."""


_PBKDF2: Final = {"iterations": 100_000}
_BCRYPT: Final = {"cost": 9}
_ARGON2: Final = {"memory_kib": 7168, "time_cost": 5, "parallelism": 1}
_LARGER: Final[Mapping[str, Mapping[int, Mapping[str, int]]]] = {
    "argon2id": {
        16384: {"memory_kib": 19456, "time_cost": 2},
        32768: {"memory_kib": 65536, "time_cost": 2},
    },
    "scrypt": {32768: {"n": 65536}},
}
"""Costs that stand for those in so many KiB and more.

From 32 MiB on, glibc gives each hash of the stand-in fresh pages.
"""
_SCRYPT: Final = {"n": 16384, "r": 8, "p": 1}
_SHA_CRYPT: Final = {"rounds": 100_000}


def _in_memory(case: Case, **most: int) -> tuple[Case, ...]:
    """One whose factor depends on its memory, at each step of that.

    ``most`` are params of the highest step, as they are emitted for 100 ms: the fewer the
    passes, the more fresh pages count.
    """
    steps = dict(_LARGER[case.hasher])
    highest = max(steps)
    steps[highest] = {**steps[highest], **most}
    larger = (
        replace(case, params={**case.params, **params}, from_kib=least)
        for least, params in steps.items()
    )
    return (case, *larger)


def _started(command: Callable[[], Sequence[str]]) -> Program:
    try:
        return Program(command())
    except AbsentError as error:
        raise AbsentProgramError(str(error)) from error


def _words(template: str) -> Request:
    return lambda params, times: f"{times} " + template.format(**params)


def _java_versions(*jars: str) -> str:
    java = _said("java", "-version").split('"')[1]
    stems = (next((FOLDER / "java" / "jars").glob(f"{jar}-[0-9]*.jar")).stem for jar in jars)
    return ", ".join([*stems, f"Java {java}"])


def _of_java(
    app: str, hasher: str, library: str, params: Mapping[str, int], words: str, *jars: str
) -> Case:
    return Case(app, hasher, library, params, partial(_started, java_command), _words(words),
                partial(_java_versions, *jars), first=1, warm_up=8.0)  # fmt: skip


def _go_versions(module: str) -> str:
    said = _said("go", "version", "-m", *go_command())
    go = re.search(r": go(\S+)", said)
    version = re.search(rf"{re.escape(module)}\s+v(\S+)", said)
    assert go is not None
    assert version is not None
    return f"{module} {version[1]}, Go {go[1]}"


def _gitea(template: str) -> Request:
    return lambda params, times: json.dumps(
        {"App": "gitea", "Algorithm": template.format(**params), "Times": times}
    )


def _settings(
    app: str, names: Mapping[str, str], algorithm: str = "", variant: str = ""
) -> Request:
    def request(params: Mapping[str, int], times: int) -> str:
        settings = {names[param]: value for param, value in params.items()}
        by = {"App": app, "Algorithm": algorithm, "Variant": variant}
        return json.dumps({**by, "Settings": settings, "Times": times})

    return request


def _of_go(
    app: str,
    hasher: str,
    params: Mapping[str, int],
    request: Request,
    module: str = "golang.org/x/crypto",
) -> Case:
    return Case(app, hasher, "go", params, partial(_started, go_command), request,
                partial(_go_versions, module), first=1)  # fmt: skip


def _of_pam(hasher: str, params: Mapping[str, int]) -> Case:
    def start() -> Program:
        if os.geteuid() != 0:
            raise AbsentProgramError("logging in through pam_unix needs root")
        python = [sys.executable, "-m", f"{__package__}.pam"]
        return Program(["unshare", "--mount", *python])

    return Case("pam-unix", hasher, "pam-unix", params, start, partial(asked, hasher),
                lambda: _packages("libpam-modules", "libcrypt1"))  # fmt: skip


def _of_postgresql(build: str, start: Callable[[], Timed], versions: Callable[[], str]) -> Case:
    return Case("postgresql", "pbkdf2-sha256", "postgresql", _PBKDF2, start,
                partial(asked, "pbkdf2-sha256"), versions, build=build)  # fmt: skip


def _of_passlib(hasher: str) -> Case:
    def start() -> Program:
        folder = FETCHED / "passlib"
        if not folder.exists():
            pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target"]
            _fetched(*pip, str(folder), _PASSLIB)
        return Program(
            [sys.executable, "-m", f"{__package__}.passlib_1_7"],
            {**os.environ, "PYTHONPATH": str(folder)},
        )

    def versions() -> str:
        return f"passlib 1.7.4, Python {sys.version.split()[0]}, {_packages('libcrypt1')}"

    return Case("passlib", hasher, "passlib", _SHA_CRYPT, start, partial(asked, hasher), versions,
                build="passlib 1.7.4 up to Python 3.12, which calls libcrypt")  # fmt: skip


def _of_node(app: str, hasher: str, params: Mapping[str, int], package: str = "") -> Case:
    def start() -> Program:
        if shutil.which("node") is None:
            raise AbsentProgramError("Node is not installed")
        if package and not (FETCHED / "node_modules" / package).exists():
            FETCHED.mkdir(parents=True, exist_ok=True)
            _fetched("npm", "install", "--prefix", str(FETCHED), "--no-save", *_NPM)
        return Program(["env", f"--chdir={FETCHED}", "node", str(HERE / "node.mjs")])

    def versions() -> str:
        node = f"Node {_said('node', '--version').strip().lstrip('v')}"
        if not package:
            return node
        manifest = FETCHED / "node_modules" / package / "package.json"
        return f"{package} {json.loads(manifest.read_text('utf-8'))['version']}, {node}"

    return Case(app, hasher, app.removesuffix("-crypto"), params, start,
                partial(asked, package or hasher), versions, warm_up=1.0)  # fmt: skip


def _of_interpreter(app: str, hasher: str, params: Mapping[str, int], name: str) -> Case:
    script = HERE / {"php": "php.php", "ruby": "ruby.rb"}[name]

    def start() -> Program:
        if shutil.which(name) is None:
            raise AbsentProgramError(f"{name} is not installed")
        return Program([name, str(script)])

    def versions() -> str:
        return " ".join(_said(name, "--version").split()[:2])

    return Case(app, hasher, name, params, start, partial(asked, hasher), versions)


def _libpq(implementation: str) -> str:
    code = "import psycopg; print(psycopg.pq.version())"
    number = int(_said(sys.executable, "-c", code, PSYCOPG_IMPL=implementation))
    return f"libpq {number // 10000}.{number % 10000}"


def _openssl() -> str:
    return _packages("libssl3", "libssl3t64")


@cache
def cases() -> tuple[Case, ...]:
    """All that can be timed anywhere; to start one says what it lacks here."""
    bc, p4j = ("keycloak-crypto-default", "bcprov-jdk18on"), "password4j"
    opensearch = partial(_of_java, "opensearch")
    keycloak = partial(_of_java, "keycloak")
    return (
        keycloak("pbkdf2-sha512", "bouncy-castle", {"iterations": 50_000},
                 "keycloak pbkdf2-sha512 {iterations}", *bc),
        keycloak("pbkdf2-sha256", "bouncy-castle", {"iterations": 50_000},
                 "keycloak pbkdf2-sha256 {iterations}", *bc),
        keycloak("pbkdf2-sha1", "bouncy-castle", {"iterations": 20_000},
                 "keycloak pbkdf2 {iterations}", *bc),
        *_in_memory(keycloak("argon2id", "bouncy-castle", _ARGON2,
                             "keycloak argon2 {memory_kib} {time_cost} {parallelism}", *bc)),
        opensearch("bcrypt", "password4j", _BCRYPT, "opensearch bcrypt {cost}", p4j),
        *_in_memory(opensearch("argon2id", "password4j", _ARGON2,
                               "opensearch argon2 {memory_kib} {time_cost} {parallelism}", p4j)),
        opensearch("pbkdf2-sha256", "java", _PBKDF2,
                   "opensearch pbkdf2 SHA256 {iterations} 256", p4j),
        opensearch("pbkdf2-sha512", "java", _PBKDF2,
                   "opensearch pbkdf2 SHA512 {iterations} 512", p4j),
        _of_java("elasticsearch", "bcrypt", "java", _BCRYPT,
                 "elasticsearch bcrypt{cost}", "x-pack-core"),
        _of_java("elasticsearch", "pbkdf2-sha512", "java", {"iterations": 50_000},
                 "elasticsearch pbkdf2_{iterations}", "x-pack-core"),
        _of_java("kafka", "pbkdf2-sha256", "java-scram", {"iterations": 16384},
                 "kafka SCRAM-SHA-256 {iterations}", "kafka-clients"),
        _of_java("kafka", "pbkdf2-sha512", "java-scram", {"iterations": 16384},
                 "kafka SCRAM-SHA-512 {iterations}", "kafka-clients"),
        _of_go("gitea", "pbkdf2-sha256", _PBKDF2, _gitea("pbkdf2${iterations}$32")),
        _of_go("gitea", "bcrypt", _BCRYPT, _gitea("bcrypt${cost}")),
        *_in_memory(_of_go("gitea", "scrypt", _SCRYPT, _gitea("scrypt${n}${r}${p}$32"))),
        *_in_memory(_of_go("gitea", "argon2id", _ARGON2,
                           _gitea("argon2${time_cost}${memory_kib}${parallelism}$32")),
                    time_cost=3),
        _of_go("caddy", "bcrypt", _BCRYPT, _settings("caddy", {"cost": "cost"})),
        *_in_memory(_of_go("kratos", "argon2id", _ARGON2, _settings(
            "kratos",
            {"memory_kib": "memory", "time_cost": "iterations", "parallelism": "parallelism"},
            "argon2",
        )), time_cost=3),
        _of_go("authelia", "pbkdf2-sha512", _PBKDF2, _settings(
            "authelia", {"iterations": "iterations"}, "pbkdf2", "sha512",
        ), "github.com/go-crypt/crypt"),
        _of_go("authelia", "sha512-crypt", _SHA_CRYPT, _settings(
            "authelia", {"rounds": "iterations"}, "sha2crypt", "sha512",
        ), "github.com/go-crypt/crypt"),
        _of_pam("yescrypt", {"cost": 5}),
        _of_pam("sha512-crypt", _SHA_CRYPT),
        _of_pam("sha256-crypt", _SHA_CRYPT),
        _of_pam("bcrypt", _BCRYPT),
        _of_postgresql("a client of the system's libpq", partial(Client, "python"),
                       lambda: f"{_libpq('python')}, {_openssl()}"),
        _of_postgresql("a client of psycopg's own libpq", partial(Client, "binary"),
                       lambda: f"{_libpq('binary')} within psycopg-binary"),
        _of_postgresql("the server, when it stores a password", HashingServer,
                       lambda: f"{_said('postgres', '--version').strip()}, {_openssl()}"),
        _of_passlib("sha512-crypt"),
        _of_passlib("sha256-crypt"),
        _of_node("node-crypto", "pbkdf2-sha256", _PBKDF2),
        _of_node("node-crypto", "pbkdf2-sha512", _PBKDF2),
        *_in_memory(_of_node("node-crypto", "scrypt", _SCRYPT)),
        _of_node("node-bcrypt", "bcrypt", _BCRYPT, "bcrypt"),
        _of_node("node-bcryptjs", "bcrypt", _BCRYPT, "bcryptjs"),
        _of_interpreter("php", "bcrypt", _BCRYPT, "php"),
        *_in_memory(_of_interpreter("php", "argon2id", _ARGON2, "php")),
        _of_interpreter("rails", "bcrypt", _BCRYPT, "ruby"),
        _of_interpreter("foreman", "pbkdf2-sha1", _PBKDF2, "ruby"),
    )  # fmt: skip


def _fetched(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = done.stderr.strip().splitlines() or [f"{command[0]} fails"]
        raise AbsentProgramError(said[-1])


def _said(*command: str, **environment: str) -> str:
    """What a program says of itself, on either stream."""
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )
    return done.stdout or done.stderr


def _packages(*names: str) -> str:
    """The versions of Debian packages, of which at least one is installed."""
    versions = (f"{name} {_said('dpkg-query', '-Wf', '${Version}', name)}" for name in names)
    return ", ".join(version for version in versions if "no packages" not in version)
