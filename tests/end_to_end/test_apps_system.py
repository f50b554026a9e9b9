"""The emitted snippet in the real program: the hash that it stores has the emitted cost."""

import base64
import contextlib
import ctypes
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import psycopg
import pytest

from end_to_end.command import TIMEOUT_SECONDS
from end_to_end.emitted import PASSWORD, SBIN, emitted, program, run
from hashcost.apps.registry import load_tunable
from hashcost.stored.formats.registry import read
from postgresql import server

pytestmark = pytest.mark.slow

PROGRAMS: Final = Path(__file__).with_name("programs")


def crypts(stored: str) -> bool:
    """Whether libcrypt, as every login does, takes the password for the stored hash's."""
    libcrypt = ctypes.CDLL("libcrypt.so.1")
    libcrypt.crypt.restype = ctypes.c_char_p
    again: bytes = libcrypt.crypt(PASSWORD.encode(), stored.encode())
    return again.decode() == stored


def shell(snippet: str, prelude: str, cwd: Path, **variables: str) -> str:
    """Run a snippet as a script; ``prelude`` answers what it would ask on a terminal."""
    script = cwd / "snippet.sh"
    script.write_text(f"{prelude}\n{snippet}", "utf-8")
    path = f"{os.environ.get('PATH', '')}:{SBIN}"
    return run("sh", script, cwd=cwd, env={"PATH": path, **variables})


# login.defs and PAM, in a root of the test's own


def as_root() -> None:
    """Skip where a root of the test's own cannot be changed into."""
    if os.geteuid() != 0:
        pytest.skip("changing into another root needs root")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root folder with one user and one group, neither of this machine."""
    etc = tmp_path / "root" / "etc"
    etc.mkdir(parents=True)
    etc.joinpath("passwd").write_text("u:x:1000:1000::/:/bin/sh\n", "utf-8")
    etc.joinpath("shadow").write_text("u:!:20000:0:99999:7:::\n", "utf-8")
    etc.joinpath("group").write_text("g:x:1000:\n", "utf-8")
    etc.joinpath("gshadow").write_text("g:!::\n", "utf-8")
    return etc.parent


def field_of(path: Path) -> str:
    """The stored hash of the only entry."""
    return path.read_text("utf-8").split(":")[1]


@pytest.mark.parametrize("hasher", ["yescrypt", "sha512-crypt", "sha256-crypt", "bcrypt"])
def test_login_defs_with_chgpasswd(root: Path, tmp_path: Path, hasher: str) -> None:
    """Shadow hashes a new password with the method and the count of the emitted lines."""
    as_root()
    chgpasswd = program("chgpasswd")
    cost = emitted("login-defs", hasher, tmp_path)
    (root / "etc" / "login.defs").write_text(cost.snippet, "utf-8")
    done = subprocess.run(
        [chgpasswd, "-R", str(root)],
        input=f"g:{PASSWORD}\n",
        capture_output=True,
        text=True,
        check=True,
        timeout=TIMEOUT_SECONDS,
    )
    if hasher == "bcrypt" and "Invalid ENCRYPT_METHOD" in done.stderr:
        assert "DES" in cost.said
        pytest.skip("this shadow was built without bcrypt, as the emitted reason says")
    stored = field_of(root / "etc" / "gshadow")
    cost.assert_stored(stored)
    assert crypts(stored)


def with_pam(root: Path, *programs: str) -> None:
    """Copy what PAM's modules need into the root."""
    security = next(Path("/").glob("usr/lib/*/security/pam_unix.so"), None) or next(
        Path("/").glob("usr/lib*/security/pam_unix.so"), None
    )
    if security is None:
        pytest.skip("pam_unix is not installed")
    files = [Path(program(name)) for name in (*programs, "unix_chkpwd")]
    needed = run("ldd", security, *files)
    libraries = {Path(path) for path in re.findall(r"(/[^\s:]+\.so[^\s:]*)", needed)}
    for file in {security, *files, *libraries}:
        real = file.resolve()
        for path in {file, real, *_merged(file)}:
            copy = root / path.relative_to("/")
            copy.parent.mkdir(parents=True, exist_ok=True)
            if not copy.exists():
                shutil.copy(real, copy)
    (root / "etc" / "pam.d").mkdir()


def _merged(path: Path) -> list[Path]:
    """The same file by the names that it has with and without a merged /usr."""
    text = str(path)
    return [Path(text.removeprefix("/usr"))] if text.startswith("/usr/lib") else []


@pytest.mark.parametrize("hasher", ["yescrypt", "sha512-crypt", "sha256-crypt", "bcrypt"])
def test_pam_unix_with_pamtester(root: Path, tmp_path: Path, hasher: str) -> None:
    """PAM sets a password with the emitted line, and lets the user in with it."""
    as_root()
    with_pam(root, "pamtester")
    cost = emitted("pam-unix", hasher, tmp_path)
    stack = f"auth required pam_unix.so\naccount required pam_unix.so\n{cost.snippet}"
    (root / "etc" / "pam.d" / "calibrate").write_text(stack, "utf-8")
    tester = program("pamtester")
    run("chroot", root, tester, "calibrate", "u", "chauthtok", given=f"{PASSWORD}\n{PASSWORD}\n")
    cost.assert_stored(field_of(root / "etc" / "shadow"))
    run("chroot", root, tester, "calibrate", "u", "authenticate", given=f"{PASSWORD}\n")


@pytest.mark.parametrize("hasher", ["sha512-crypt", "sha256-crypt"])
def test_login_defs_with_chpasswd(root: Path, tmp_path: Path, hasher: str) -> None:
    """chpasswd, by a pam_unix that names no method, hashes as the emitted lines have it."""
    as_root()
    with_pam(root, "chpasswd")
    cost = emitted("login-defs", hasher, tmp_path)
    (root / "etc" / "login.defs").write_text(cost.snippet, "utf-8")
    (root / "etc" / "pam.d" / "chpasswd").write_text("password required pam_unix.so\n", "utf-8")
    run(program("chpasswd"), "-R", root, given=f"u:{PASSWORD}\n")
    stored = field_of(root / "etc" / "shadow")
    cost.assert_stored(stored)
    assert crypts(stored)


# Commands that print a hash


@pytest.mark.parametrize("hasher", ["bcrypt", "sha512-crypt", "sha256-crypt"])
def test_htpasswd(tmp_path: Path, hasher: str) -> None:
    """Htpasswd stores the emitted cost, and verifies the password with it."""
    htpasswd = program("htpasswd")
    if (
        hasher != "bcrypt"
        and "-5"
        not in subprocess.run([htpasswd], capture_output=True, text=True, check=False).stderr
    ):
        pytest.skip("this htpasswd has no -5")
    cost = emitted("htpasswd", hasher, tmp_path)
    kept = tmp_path / ".htpasswd"
    kept.touch()
    prelude = f"htpasswd() {{ echo '{PASSWORD}' | command htpasswd -i \"$@\"; }}"
    shell(cost.snippet, prelude, tmp_path, USER="u")
    cost.assert_stored(kept.read_text("utf-8").removeprefix("u:"))
    run(htpasswd, "-v", "-b", kept, "u", PASSWORD)


@pytest.mark.parametrize("hasher", ["yescrypt", "sha512-crypt", "sha256-crypt", "bcrypt"])
def test_mkpasswd(tmp_path: Path, hasher: str) -> None:
    """Mkpasswd prints a hash of the emitted cost, which libcrypt verifies."""
    program("mkpasswd")
    cost = emitted("mkpasswd", hasher, tmp_path)
    prelude = f"mkpasswd() {{ echo '{PASSWORD}' | command mkpasswd -s \"$@\"; }}"
    stored = shell(cost.snippet, prelude, tmp_path).strip()
    cost.assert_stored(stored)
    assert crypts(stored)


@pytest.mark.parametrize("hasher", ["bcrypt", "sha512-crypt", "sha256-crypt", "pbkdf2-sha1"])
def test_dovecot(tmp_path: Path, hasher: str) -> None:
    """Doveadm prints a hash of the emitted cost, and verifies the password with it."""
    doveadm = program("doveadm")
    cost = emitted("dovecot", hasher, tmp_path)
    config = tmp_path / "dovecot.conf"
    config.write_text("", "utf-8")
    prelude = f"doveadm() {{ command doveadm -O \"$@\" -p '{PASSWORD}'; }}"
    if subprocess.run([doveadm, "-O", "pw", "-l"], capture_output=True, check=False).returncode:
        prelude = prelude.replace(" -O", "")
    stored = shell(cost.snippet, prelude, tmp_path).strip()
    cost.assert_stored(stored, "dovecot")
    assert "verified" in run(doveadm, "pw", "-t", stored, "-p", PASSWORD)


def test_grub(tmp_path: Path) -> None:
    """grub-mkpasswd-pbkdf2 prints a hash of the emitted count, one block long."""
    program("grub-mkpasswd-pbkdf2")
    cost = emitted("grub", "pbkdf2-sha512", tmp_path)
    twice = f"printf '%s\\n' '{PASSWORD}' '{PASSWORD}'"
    script = re.sub(r"(?m)^grub", f"{twice} | grub", cost.snippet)
    stored = shell(script, "", tmp_path).split()[-1]
    cost.assert_stored(stored)
    assert read(stored).blocks == 1
    (found,) = load_tunable("grub").read(f"password_pbkdf2 root {stored}\n")
    assert found.params == cost.params


# LUKS, in a file


def luks_disk(folder: Path, *options: str) -> tuple[Path, Path]:
    """Format a file as a disk with a cheap key slot, and return it with its key."""
    device, key = folder / "device", folder / "key"
    device.write_bytes(b"")
    os.truncate(device, 20 << 20)
    key.write_text(PASSWORD, "utf-8")
    cheap = (*options, "--pbkdf-force-iterations", "1000")
    run(program("cryptsetup"), "luksFormat", "--batch-mode", "--key-file", key, *cheap, device)
    return device, key


def with_key(key: Path, again: str = "") -> str:
    """Let a script's calls of cryptsetup take the key, and the new one ``again``."""
    options = f"--batch-mode --key-file '{key}'"
    return f'cryptsetup() {{ command cryptsetup {options} "$@" {again}; }}'


@pytest.mark.parametrize("hasher", ["argon2id", "pbkdf2-sha512", "pbkdf2-sha256"])
@pytest.mark.parametrize("action", ["", "luksFormat"])
def test_luks(tmp_path: Path, hasher: str, action: str) -> None:
    """Cryptsetup gives the key slot the emitted parameters, and opens it with the password."""
    cryptsetup = program("cryptsetup")
    cost = emitted("luks", hasher, tmp_path)
    device, key = luks_disk(tmp_path, "--pbkdf", "pbkdf2")
    # The same key is the new one, where the command changes it.
    again = ""
    if not action and hasher.startswith("pbkdf2"):
        again = f"'{key}'"
    snippet = cost.snippet
    if action:
        snippet = re.sub("luks(?:Convert|Change)Key", action, snippet)
    shell(snippet, with_key(key, again), tmp_path, DEVICE=str(device))
    dump = run(cryptsetup, "luksDump", device).partition("Keyslots:")[2].partition("Tokens:")[0]
    names = {
        "time_cost": "Time cost",
        "memory_kib": "Memory",
        "parallelism": "Threads",
        "iterations": "Iterations",
    }
    for param, value in cost.params.items():
        shown = re.search(rf"{names[param]}:\s+([0-9]+)", dump)
        assert shown is not None
        assert int(shown[1]) == value
    assert hasher.partition("-")[0] in dump
    run(cryptsetup, "open", "--test-passphrase", "--key-file", key, device)


@pytest.mark.parametrize("hasher", ["pbkdf2-sha512", "pbkdf2-sha256"])
def test_luks1(tmp_path: Path, hasher: str) -> None:
    """The emitted command sets the count of a LUKS1 disk too, whose hash stays."""
    cryptsetup = program("cryptsetup")
    cost = emitted("luks", hasher, tmp_path)
    digest = hasher.removeprefix("pbkdf2-")
    device, key = luks_disk(tmp_path, "--type", "luks1", "--hash", digest)
    shell(cost.snippet, with_key(key, f"'{key}'"), tmp_path, DEVICE=str(device))
    dump = run(cryptsetup, "luksDump", device)
    (count,) = re.findall(r"ENABLED\s+Iterations:\s+([0-9]+)", dump)
    assert int(count) == cost.params["iterations"]
    run(cryptsetup, "open", "--test-passphrase", "--key-file", key, device)


# PostgreSQL, a cluster of the test's own


@pytest.fixture
def reachable() -> Iterator[Path]:
    """A short folder that another user can reach, for sockets and servers."""
    with tempfile.TemporaryDirectory(prefix="hashcost-", dir="/tmp") as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


def test_postgresql(tmp_path: Path) -> None:
    """A role's secret has the emitted iterations, and a client logs in with its password."""
    cost = emitted("postgresql", "pbkdf2-sha256", tmp_path)
    version = re.search(r" (\d+)", run(program("psql"), "--version"))
    if version is None or int(version[1]) < 16:
        pytest.skip("no PostgreSQL of 16 or newer is here, which scram_iterations came with")
    with server(cost.snippet, "local all probe scram-sha-256\n") as address:
        url = address.replace("postgresql+psycopg:", "postgresql:")
        with psycopg.connect(url, autocommit=True) as owner:
            owner.execute(f"CREATE ROLE probe LOGIN PASSWORD '{PASSWORD}'")
            query = "SELECT rolpassword FROM pg_authid WHERE rolname = 'probe'"
            (stored,) = owner.execute(query).fetchone() or ("",)
        psycopg.connect(url, user="probe", password=PASSWORD).close()
    cost.assert_stored(stored)


@contextlib.contextmanager
def stopping(server: subprocess.Popen[bytes], *, until: Path) -> Iterator[None]:
    """A server that has made its socket, stopped in the end."""
    try:
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while not until.exists():
            assert server.poll() is None, "the server ended at once"
            assert time.monotonic() < deadline
            time.sleep(0.05)
        yield
    finally:
        server.terminate()
        try:
            server.wait(TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            server.kill()


def wait_for(*command: str) -> None:
    """Ask until the server answers."""
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while subprocess.run(command, capture_output=True, check=False).returncode:
        assert time.monotonic() < deadline
        time.sleep(0.1)


# OpenLDAP, a server of the test's own


@pytest.mark.parametrize("hasher", ["argon2id", "pbkdf2-sha512", "pbkdf2-sha256"])
def test_openldap(reachable: Path, tmp_path: Path, hasher: str) -> None:
    """A password set by Password Modify is stored with the emitted cost, and binds."""
    slapd = program("slapd")
    modules = Path("/usr/lib/ldap")
    file = "argon2.so" if hasher == "argon2id" else "pw-pbkdf2.so"
    if not (modules / file).exists():
        pytest.skip(f"slapd's {file} is not installed")
    cost = emitted("openldap", hasher, tmp_path)
    config = reachable / "slapd.d"
    for folder in (config, reachable / "data"):
        folder.mkdir()
    ldif = reachable / "config.ldif"
    text = (
        (PROGRAMS / "slapd.ldif")
        .read_text("utf-8")
        .format(folder=reachable, modules=modules, schema="/etc/ldap/schema")
    )
    ldif.write_text(text, "utf-8")
    run(program("slapadd"), "-n", "0", "-F", config, "-l", ldif)
    url = f"ldapi://{str(reachable / 'socket').replace('/', '%2F')}"
    server = subprocess.Popen(
        [slapd, "-d", "0", "-F", str(config), "-h", url],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    with stopping(server, until=reachable / "socket"):
        ask = ("-x", "-H", url, "-w", "secret", "-D")
        wait_for(program("ldapwhoami"), *ask, "cn=config")
        run(program("ldapmodify"), *ask, "cn=config", given=cost.snippet)
        admin = (*ask, "cn=admin,dc=test")
        run(program("ldapadd"), *admin, given=(PROGRAMS / "entries.ldif").read_text("utf-8"))
        who = "cn=probe,dc=test"
        run(program("ldappasswd"), *admin, "-s", PASSWORD, who)
        listed = ("-LLL", "-o", "ldif-wrap=no", "-b")
        answer = run(program("ldapsearch"), *admin, *listed, who, "userPassword")
        run("ldapwhoami", "-x", "-H", url, "-w", PASSWORD, "-D", who)
        settings = (*listed, "cn=config", "(|(olcModuleLoad=*)(olcPasswordHash=*))")
        loaded = run(program("ldapsearch"), *ask, "cn=config", *settings)
    assert [each.params for each in load_tunable("openldap").read(loaded)] == [cost.params]
    (value,) = re.findall(r"^userPassword:: (.*)$", answer, re.MULTILINE)
    reading = read(base64.b64decode(value), "openldap")
    if reading.params == {"iterations": 10000}:
        assert "stays at 10000" in cost.said
        pytest.skip("this pw-pbkdf2 takes no count, as the emitted reason says")
    if reading.hasher == "argon2i":
        assert "hashes with argon2i instead" in cost.said
    else:
        assert reading.hasher == hasher
    assert reading.params == cost.params
