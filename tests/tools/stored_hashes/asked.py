"""Print the stored hashes of a program that can be asked for them one by one.

``asked.txt`` has a line for each hash. Packages are imported by name, so that the makers can be
type-checked without them, and run in an environment that has them.
"""

from __future__ import annotations

import ctypes
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from tools.stored_hashes.entry import PROBE, Entry, entry, show


def run(*command: object, given: str = "", cwd: str | None = None, user: str | None = None) -> str:
    """Run a program, and return what it wrote."""
    words = [str(word) for word in command]
    done = subprocess.run(
        words, input=given, capture_output=True, text=True, check=False, cwd=cwd, user=user
    )
    if done.returncode:
        raise RuntimeError(f"{command[0]}: {done.stderr.strip() or done.returncode}")
    return done.stdout


def packaged(package: str) -> str:
    """Return the upstream part of a Debian package's version."""
    if shutil.which("dpkg-query") is None:
        return "unknown"
    full = run("dpkg-query", "-W", "-f", "${Version}", package)
    return full.rpartition(":")[2].partition("-")[0].partition("+")[0]


def _keywords(words: tuple[str, ...]) -> dict[str, Any]:
    pairs = (word.split("=") for word in words)
    return {name: int(value) if value.isdigit() else value for name, value in pairs}


def _django(name: str, *costs: str) -> str:
    settings = import_module("django.conf").settings
    if not settings.configured:
        settings.configure()
    hashers = import_module("django.contrib.auth.hashers")
    if name == "unusable":
        return str(hashers.make_password(None))
    hasher = type(name, (getattr(hashers, f"{name}PasswordHasher"),), _keywords(costs))()
    return str(hasher.encode(PROBE, hasher.salt()))


def _werkzeug(method: str) -> str:
    return str(import_module("werkzeug.security").generate_password_hash(PROBE, method))


def _passlib(name: str, *options: str) -> str:
    handler = getattr(import_module("passlib.hash"), name)
    if name == "unix_disabled" and options:
        return str(handler.disable(_passlib(*options)))
    asked = _keywords(options)
    context = {"user": asked.pop("user")} if "user" in asked else {}
    return str((handler.using(**asked) if asked else handler).hash(PROBE, **context))


def _argon2_cffi(*options: str) -> str:
    argon2 = import_module("argon2")
    asked = _keywords(options)
    kind = argon2.Type[asked.pop("type").upper()]
    return str(argon2.PasswordHasher(**asked, type=kind).hash(PROBE))


def _pwdlib(name: str, *options: str) -> str:
    module = import_module(f"pwdlib.hashers.{name}")
    return str(getattr(module, f"{name.title()}Hasher")(**_keywords(options)).hash(PROBE))


def _bcrypt(prefix: str, cost: str) -> str:
    package = import_module("bcrypt")
    salt = package.gensalt(int(cost), prefix.encode())
    return str(package.hashpw(PROBE.encode(), salt).decode())


def _cryptography(name: str, *costs: str) -> str:
    kdf = getattr(import_module("cryptography.hazmat.primitives.kdf.argon2"), name)
    hasher = kdf(salt=b"probe-salt-16-by", length=32, **_keywords(costs))
    return str(hasher.derive_phc_encoded(PROBE.encode()))


def _crypt_gensalt(prefix: str, count: str) -> str:
    libcrypt = ctypes.CDLL("libcrypt.so.1")
    libcrypt.crypt.restype = libcrypt.crypt_gensalt.restype = text = ctypes.c_char_p
    libcrypt.crypt_gensalt.argtypes = [text, ctypes.c_ulong, text, ctypes.c_int]
    setting = libcrypt.crypt_gensalt(prefix.encode(), int(count), None, 0)
    return str(libcrypt.crypt(PROBE.encode(), setting).decode())


def _command(line: str, given: str = "") -> Callable[..., str]:
    """Ask a command, of which ``@`` stands for the options; its last word is the hash."""
    before, after = line.split(" @")

    def made(*options: str) -> str:
        answer = run(*before.split(), *options, *after.split(), given=given)
        return answer.split()[-1].removeprefix("u:")

    return made


def _chpasswd(method: str, cost: str, *, locked: bool = False) -> str:
    """Ask shadow's chpasswd, in a root of its own, and perhaps lock the account."""
    with tempfile.TemporaryDirectory() as folder:
        shadow = Path(folder, "etc", "shadow")
        shadow.parent.mkdir()
        shadow.with_name("passwd").write_text("u:x:1000:1000::/:/bin/sh\n", "utf-8")
        shadow.write_text("u:!:20000:0:99999:7:::\n", "utf-8")
        run("chpasswd", "-R", folder, "-c", method, "-s", cost, given=f"u:{PROBE}\n")
        if locked:
            run("usermod", "-R", folder, "-L", "u")
        return shadow.read_text("utf-8").split(":")[1]


def _mosquitto(*options: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        passwords = Path(folder, "passwords")
        passwords.touch(mode=0o600)
        run("mosquitto_passwd", *options, "-b", passwords, "u", PROBE)
        return passwords.read_text("utf-8").strip().removeprefix("u:")


def _postgres(method: str, *iterations: str) -> str:
    """Ask PostgreSQL in its single-user mode: no port, nothing to stop.

    ``POSTGRES`` names the folder of its programs.
    """
    programs = Path(os.environ["POSTGRES"])
    user = "postgres" if os.getuid() == 0 else None
    settings = f"SET password_encryption = '{method}';"
    settings += "".join(f" SET scram_iterations = {count};" for count in iterations)
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        if user is not None:
            shutil.chown(folder, user)
        data = Path(folder, "data")
        run(programs / "initdb", "-D", data, "--no-sync", "-U", "postgres", cwd="/", user=user)
        given = (
            f"{settings} CREATE ROLE probe PASSWORD '{PROBE}'\n"
            "SELECT rolpassword FROM pg_authid WHERE rolname = 'probe'\n"
        )
        command = ("--single", "-D", data, "-F", "postgres")
        answer = run(programs / "postgres", *command, given=given, cwd="/", user=user)
        return answer.partition('rolpassword = "')[2].partition('"')[0]


def _postgres_version() -> str:
    return run(Path(os.environ["POSTGRES"]) / "postgres", "--version").split()[2]


def _mariadb() -> str:
    """Ask MariaDB's server in its bootstrap mode: no port, nothing to stop."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        answer = Path(folder, "answer")
        command = ["mariadbd", "--no-defaults", "--bootstrap", f"--datadir={folder}"]
        command += ["--innodb=OFF", "--default-storage-engine=MyISAM", "--skip-grant-tables"]
        command += ["--user=root"] if os.getuid() == 0 else []
        run(*command, given=f"SELECT PASSWORD('{PROBE}') INTO OUTFILE '{answer}';\n")
        return answer.read_text("utf-8").strip()


@dataclass(frozen=True)
class Program:
    """A program that makes one hash for the words of each of its lines in ``asked.txt``."""

    title: str
    version: Callable[[], str]
    made: Callable[..., str]
    needs: str = ""
    """The command that must be there; of Python's packages, none."""
    app: str | None = None


def _python(distribution: str, made: Callable[..., str], title: str = "") -> Program:
    return Program(title or distribution, partial(version, distribution), made)


def _debian(package: str, line: str, title: str = "", given: str = "", **more: Any) -> Program:
    needs = line.partition(" ")[0]
    return Program(
        title or needs, partial(packaged, package), _command(line, given), needs, **more
    )


PROGRAMS: Final = {
    "django": _python("Django", _django),
    "werkzeug": _python("Werkzeug", _werkzeug),
    "passlib": _python("libpass", _passlib),
    "argon2_cffi": _python("argon2-cffi", _argon2_cffi),
    "pwdlib": _python("pwdlib", _pwdlib),
    "bcrypt": _python("bcrypt", _bcrypt, "bcrypt (Python)"),
    "cryptography": _python("cryptography", _cryptography),
    "htpasswd": _debian("apache2-utils", f"htpasswd -nb @ u {PROBE}"),
    "mkpasswd": _debian("whois", f"mkpasswd -m @ {PROBE}"),
    "crypt_gensalt": Program(
        "libxcrypt crypt_gensalt", partial(packaged, "libcrypt1"), _crypt_gensalt, sys.executable
    ),
    "chpasswd": Program("chpasswd", partial(packaged, "passwd"), _chpasswd, "chpasswd"),
    "usermod": Program(
        "usermod -L", partial(packaged, "passwd"), partial(_chpasswd, locked=True), "usermod"
    ),
    "openssl": _debian("openssl", f"openssl passwd @ {PROBE}", "openssl passwd"),
    "doveadm": _debian(
        "dovecot-core", f"doveadm pw -u u -p {PROBE} -s @", "doveadm pw", app="dovecot"
    ),
    "slappasswd": _debian("slapd", f"slappasswd -n -s {PROBE} @", app="openldap"),
    "pwdhash": _debian("389-ds-base", f"pwdhash -s @ {PROBE}", "389-ds pwdhash", app="389-ds"),
    "grub": _debian("grub-common", "grub-mkpasswd-pbkdf2 @", given=f"{PROBE}\n{PROBE}\n"),
    "mosquitto": Program(
        "mosquitto_passwd", partial(packaged, "mosquitto"), _mosquitto, "mosquitto_passwd"
    ),
    "argon2": _debian("argon2", "argon2 probe-salt @ -e", given=PROBE),
    "postgres_15": Program("PostgreSQL 15", _postgres_version, _postgres),
    "postgres_17": Program("PostgreSQL 17", _postgres_version, _postgres),
    "mariadb": Program(
        "MariaDB PASSWORD()", partial(packaged, "mariadb-server-core"), _mariadb, "mariadbd"
    ),
}


def entries(name: str) -> Iterator[Entry]:
    """Ask a program for each of its lines."""
    program = PROGRAMS[name]
    release = program.version()
    for line in Path(__file__).with_name("asked.txt").read_text("utf-8").splitlines():
        maker, *asked = map(str.strip, line.split("|"))
        if maker != name:
            continue
        words, costs, form, what, more = (*asked, "")[:5]
        for cost in costs.split() or [""]:
            number = "" if cost == "-" else cost
            hash_ = program.made(*shlex.split(words.replace("@", number)))
            told = dict(_more(word) for word in more.split())
            yield (
                entry(
                    program.title, release, hash_, form, what.replace("@", number), app=program.app
                )
                | told
            )


def _more(word: str) -> tuple[str, Any]:
    name, equals, value = word.partition("=")
    return name, (int(value) if value.isdigit() else value) if equals else True


if __name__ == "__main__":
    show(entries(sys.argv[1]))
