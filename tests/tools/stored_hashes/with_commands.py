"""Print stored hashes made by programs of the system, ``htpasswd`` and so on.

Every number that a line states is one that the program was given, or its documented default.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tools.stored_hashes.entry import PROBE, Entry, argon2_cost, blocks_of, entry, show


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


def htpasswd() -> Iterator[Entry]:
    """Ask Apache's htpasswd; older ones lack -2 and -5."""
    line = partial(entry, "htpasswd", packaged("apache2-utils"))

    def made(*options: str) -> str:
        return run("htpasswd", "-nb", *options, "u", PROBE).strip().removeprefix("u:")

    yield line(made("-B"), "bcrypt", "bcrypt cost=5")
    for cost in (4, 7, 10):
        yield line(made("-B", "-C", str(cost)), "bcrypt", f"bcrypt cost={cost}")
    if "-5" in subprocess.run(["htpasswd"], capture_output=True, text=True, check=False).stderr:
        for flag, bits in (("-2", "256"), ("-5", "512")):
            for rounds, options in ((5000, ()), (1000, ("-r", "1000")), (7777, ("-r", "7777"))):
                yield line(made(flag, *options), "crypt-sha2", f"sha{bits}-crypt rounds={rounds}")
    yield line(made("-m"), "apr1", "md5-crypt")
    yield line(made("-d"), "crypt-des", "des-crypt")
    yield line(made("-s"), "ldap-digest", "fast sha1")
    yield line(made("-p"), "plain", "plain")


def mkpasswd() -> Iterator[Entry]:
    """Ask whois's mkpasswd for the methods whose rounds it does not draw at random."""
    line = partial(entry, "mkpasswd", packaged("whois"))

    def made(method: str, *rounds: int) -> str:
        return run("mkpasswd", "-m", method, *(f"-R{count}" for count in rounds), PROBE).strip()

    for method, hasher, costs in (
        ("yescrypt", "yescrypt", (1, 2, 3, 5, 6)),
        ("gost-yescrypt", "gost-yescrypt", (1, 4, 5)),
        ("bcrypt", "bcrypt", (5, 6, 9)),
        ("bcrypt-a", "bcrypt", (5, 7)),
    ):
        for cost in costs:
            yield line(made(method, cost), hasher, f"{hasher} cost={cost}")
        yield line(made(method), hasher, f"{hasher} cost=5")
    for bits in ("256", "512"):
        for asked, rounds in (((), 5000), ((1000,), 1000), ((5000,), 5000), ((54321,), 54321)):
            hash_ = made(f"sha{bits}crypt", *asked)
            yield line(hash_, "crypt-sha2", f"sha{bits}-crypt rounds={rounds}")
    yield line(made("bsdicrypt", 725), "crypt-bsdi", "bsdi-crypt rounds=725")
    yield line(made("md5crypt"), "crypt-md5", "md5-crypt")
    yield line(made("descrypt"), "crypt-des", "des-crypt")
    yield line(made("nt"), "crypt-nt", "fast nt")


def crypt_gensalt() -> Iterator[Entry]:
    """Ask libcrypt itself, as login.defs and pam_unix have it done."""
    libcrypt = ctypes.CDLL("libcrypt.so.1")
    libcrypt.crypt.restype = libcrypt.crypt_gensalt.restype = text = ctypes.c_char_p
    libcrypt.crypt_gensalt.argtypes = [text, ctypes.c_ulong, text, ctypes.c_int]
    line = partial(entry, "libxcrypt crypt_gensalt", packaged("libcrypt1"))

    def made(prefix: str, count: int) -> str:
        setting = libcrypt.crypt_gensalt(prefix.encode(), count, None, 0)
        return str(libcrypt.crypt(PROBE.encode(), setting).decode())

    for prefix, hasher, costs in (
        ("$y$", "yescrypt", (1, 2, 3, 4, 5, 7)),
        ("$gy$", "gost-yescrypt", (2, 3)),
        ("$2b$", "bcrypt", (4, 8)),
        ("$2y$", "bcrypt", (4,)),
    ):
        for cost in costs:
            yield line(made(prefix, cost), hasher, f"{hasher} cost={cost}")
    for log2 in (6, 7, 8):
        # crypt-scrypt.c of libxcrypt has N = 1 << (count + 7), r = 32 and p = 1.
        yield line(made("$7$", log2), "crypt-scrypt", f"scrypt n={2 ** (log2 + 7)} r=32 p=1")
    for prefix, hasher in (("$5$", "sha256-crypt"), ("$6$", "sha512-crypt")):
        for count, rounds in ((0, 5000), (1, 1000), (4999, 4999), (200000, 200000)):
            yield line(made(prefix, count), "crypt-sha2", f"{hasher} rounds={rounds}")


def chpasswd() -> Iterator[Entry]:
    """Ask shadow's chpasswd, in a root of its own, and lock an account with its usermod."""
    release = packaged("passwd")
    with tempfile.TemporaryDirectory() as folder:
        etc = Path(folder, "etc")
        etc.mkdir()
        etc.joinpath("passwd").write_text("u:x:1000:1000::/:/bin/sh\n", "utf-8")
        shadow = etc / "shadow"

        def stored() -> str:
            return shadow.read_text("utf-8").split(":")[1]

        for method, form, what, costs in (
            ("SHA512", "crypt-sha2", "sha512-crypt rounds", (1000, 5000, 65600)),
            ("SHA256", "crypt-sha2", "sha256-crypt rounds", (5000, 6000)),
            ("YESCRYPT", "yescrypt", "yescrypt cost", (1, 3, 5)),
        ):
            for cost in costs:
                shadow.write_text("u:!:20000:0:99999:7:::\n", "utf-8")
                command = ["chpasswd", "-R", folder, "-c", method, "-s", str(cost)]
                run(*command, given=f"u:{PROBE}\n")
                yield entry("chpasswd", release, stored(), form, f"{what}={cost}")
        run("usermod", "-R", folder, "-L", "u")
        yield entry("usermod -L", release, stored(), "unix-locked", "locked")


def openssl() -> Iterator[Entry]:
    """Ask openssl passwd; it knows no rounds but the default."""
    line = partial(entry, "openssl passwd", run("openssl", "version").split()[1])
    for flag, form, what in (
        ("-1", "crypt-md5", "md5-crypt"),
        ("-apr1", "apr1", "md5-crypt"),
        ("-5", "crypt-sha2", "sha256-crypt rounds=5000"),
        ("-6", "crypt-sha2", "sha512-crypt rounds=5000"),
    ):
        yield line(run("openssl", "passwd", flag, PROBE).strip(), form, what)


def doveadm() -> Iterator[Entry]:
    """Ask Dovecot, whose PBKDF2 is a layout of its own and whose SCRAM ignores -r."""
    line = partial(entry, "doveadm pw", packaged("dovecot-core"), app="dovecot")

    def made(scheme: str, *options: str) -> str:
        return run("doveadm", "pw", "-s", scheme, *options, "-u", "u", "-p", PROBE).strip()

    for scheme, form, what, default, costs in (
        ("BLF-CRYPT", "dovecot-crypt", "bcrypt cost", 5, (4, 7)),
        ("SHA256-CRYPT", "dovecot-crypt", "sha256-crypt rounds", 5000, (1000, 6001)),
        ("SHA512-CRYPT", "dovecot-crypt", "sha512-crypt rounds", 5000, (1000, 6001)),
        ("PBKDF2", "dovecot-pbkdf2", "pbkdf2-sha1 iterations", 5000, (1000, 7000)),
    ):
        blocks = 1 if scheme == "PBKDF2" else None
        yield line(made(scheme), form, f"{what}={default}", blocks=blocks)
        for cost in costs:
            yield line(made(scheme, "-r", str(cost)), form, f"{what}={cost}", blocks=blocks)
    # -r is Argon2's time cost, and picks libsodium's memory tier (interactive, then moderate).
    tiers = (("argon2id", 3, 1 << 18), ("argon2i", 4, 1 << 15), ("argon2i", 6, 1 << 17))
    for variant, time, memory in tiers:
        hash_ = made(variant.upper(), "-r", str(time))
        yield line(hash_, "dovecot-argon2", argon2_cost(variant, memory, time, 1))
    for digest in ("1", "256"):
        what = f"pbkdf2-sha{digest} iterations=4096"
        hash_ = made(f"SCRAM-SHA-{digest}")
        yield line(hash_, "dovecot-scram", what, blocks=1, client_side=True)
    yield line(made("MD5-CRYPT"), "dovecot-crypt", "md5-crypt")
    yield line(made("DES-CRYPT"), "dovecot-crypt", "des-crypt")
    for schemes, hasher in (
        ("SHA SHA1", "sha1"),
        ("SHA256", "sha256"),
        ("SHA512", "sha512"),
        ("SSHA", "ssha"),
        ("SSHA256 SSHA256.HEX", "ssha256"),
        ("SSHA512", "ssha512"),
        ("SMD5", "smd5"),
        ("LDAP-MD5 PLAIN-MD5", "md5"),
        ("CRAM-MD5", "cram-md5"),
        ("DIGEST-MD5", "md5"),
    ):
        for scheme in schemes.split():
            yield line(made(scheme), "dovecot-digest", f"fast {hasher}")
    for scheme in ("PLAIN", "CLEARTEXT"):
        yield line(made(scheme), "plain", "plain")


def slappasswd() -> Iterator[Entry]:
    """Ask OpenLDAP's slappasswd, with the modules of slapd-contrib."""
    line = partial(entry, "slappasswd", packaged("slapd"), app="openldap")

    def made(scheme: str, *options: str, setting: tuple[str, ...] = ()) -> str:
        return run("slappasswd", "-n", "-s", PROBE, *options, "-h", f"{{{scheme}}}", *setting)

    for scheme, digest in (
        ("PBKDF2", "sha1"),
        ("PBKDF2-SHA1", "sha1"),
        ("PBKDF2-SHA256", "sha256"),
        ("PBKDF2-SHA512", "sha512"),
    ):
        hash_ = made(scheme, "-o", "module-load=pw-pbkdf2")
        yield line(hash_, "ldap-pbkdf2", f"pbkdf2-{digest} iterations=10000", blocks=1)
    for memory, time, lanes in ((4096, 3, 1), (8192, 2, 2)):
        hash_ = made("ARGON2", "-o", f"module-load=argon2 m={memory} t={time} p={lanes}")
        yield line(hash_, "ldap-argon2", argon2_cost("argon2i", memory, time, lanes))
    for setting, what in (
        ("$6$rounds=7000$%.16s", "sha512-crypt rounds=7000"),
        ("$6$%.16s", "sha512-crypt rounds=5000"),
        ("$5$rounds=1000$%.8s", "sha256-crypt rounds=1000"),
        ("$2b$06$%.22s", "bcrypt cost=6"),
        ("$1$%.8s", "md5-crypt"),
    ):
        yield line(made("CRYPT", setting=("-c", setting)), "ldap-crypt", what)
    for scheme, hasher in (("MD5", "md5"), ("SMD5", "smd5"), ("SHA", "sha1"), ("SSHA", "ssha")):
        yield line(made(scheme), "ldap-digest", f"fast {hasher}")
    for bits in ("256", "384", "512"):
        for scheme in (f"SHA{bits}", f"SSHA{bits}"):
            hash_ = made(scheme, "-o", "module-load=pw-sha2")
            yield line(hash_, "ldap-digest", f"fast {scheme.lower()}")


def pwdhash() -> Iterator[Entry]:
    """Ask 389 Directory Server's pwdhash, without a server: its built-in defaults."""
    line = partial(entry, "389-ds pwdhash", packaged("389-ds-base"), app="389-ds")

    def made(scheme: str) -> str:
        return run("pwdhash", "-s", scheme, PROBE).strip()

    for digest in ("sha1", "sha256", "sha512"):
        what = f"pbkdf2-{digest} iterations=10000"
        yield line(made(f"PBKDF2-{digest.upper()}"), "389-pbkdf2", what, blocks=1)
    # 8192 and 256 bytes are pbkdf2_pwd.c's; only a server that starts calibrates the former.
    what = "pbkdf2-sha256 iterations=8192"
    yield line(made("PBKDF2_SHA256"), "389-legacy-pbkdf2", what, blocks=blocks_of(256, "sha256"))
    yield line(made("GOST_YESCRYPT"), "389-gost-yescrypt", "gost-yescrypt cost=5")
    for scheme, what in (
        ("CRYPT", "des-crypt"),
        ("CRYPT-MD5", "md5-crypt"),
        ("CRYPT-SHA256", "sha256-crypt rounds=5000"),
        ("CRYPT-SHA512", "sha512-crypt rounds=5000"),
    ):
        yield line(made(scheme), "ldap-crypt", what)
    yield line(made("SHA"), "ldap-digest", "fast sha1")
    for scheme in ("SSHA", "SSHA256", "SSHA384", "SHA512", "SSHA512", "SMD5", "MD5"):
        yield line(made(scheme), "ldap-digest", f"fast {scheme.lower()}")


def grub() -> Iterator[Entry]:
    """Ask grub-mkpasswd-pbkdf2; an output above 64 bytes costs another block."""
    line = partial(entry, "grub-mkpasswd-pbkdf2", packaged("grub-common"))
    for iterations, output in ((10000, 64), (1500, 64), (2000, 65), (2500, 128), (3000, 20)):
        command = ["grub-mkpasswd-pbkdf2", "-c", str(iterations), "-l", str(output)]
        hash_ = run(*command, given=f"{PROBE}\n{PROBE}\n").split()[-1]
        what = f"pbkdf2-sha512 iterations={iterations}"
        yield line(hash_, "grub", what, blocks=blocks_of(output, "sha512"))


def mosquitto() -> Iterator[Entry]:
    """Ask mosquitto_passwd, whose $7$ is PBKDF2 and not scrypt."""
    line = partial(entry, "mosquitto_passwd", packaged("mosquitto"))
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder, "passwords")

        def made(*options: str) -> str:
            kept.touch(mode=0o600)
            run("mosquitto_passwd", *options, "-b", kept, "u", PROBE)
            return kept.read_text("utf-8").strip().removeprefix("u:")

        for iterations, options in ((101, ()), (2000, ("-I", "2000"))):
            what = f"pbkdf2-sha512 iterations={iterations}"
            yield line(made(*options), "mosquitto-pbkdf2", what, blocks=1)
        yield line(made("-H", "sha512"), "mosquitto-sha512", "fast ssha512")


def argon2() -> Iterator[Entry]:
    """Ask the reference implementation's command."""
    line = partial(entry, "argon2", packaged("argon2"))
    for variant in ("id", "i", "d"):
        for memory, time, lanes in ((1024, 1, 1), (2048, 4, 2)):
            costs = ("-k", memory, "-t", time, "-p", lanes, "-e")
            hash_ = run("argon2", "probe-salt", f"-{variant}", *costs, given=PROBE).strip()
            yield line(hash_, "phc-argon2", argon2_cost(f"argon2{variant}", memory, time, lanes))


def postgres() -> Iterator[Entry]:
    """Ask PostgreSQL in its single-user mode: no port, nothing to stop.

    ``POSTGRES`` names the folder of its programs and ``POSTGRES_PROGRAM`` what to call it;
    scram_iterations came with version 16.
    """
    binaries = Path(os.environ["POSTGRES"])
    release = run(binaries / "postgres", "--version").split()[2]
    line = partial(entry, os.environ["POSTGRES_PROGRAM"], release)
    user = "postgres" if os.getuid() == 0 else None
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        if user is not None:
            shutil.chown(folder, user)
        data = Path(folder, "data")
        run(binaries / "initdb", "-D", data, "--no-sync", "-U", "postgres", cwd="/", user=user)

        def made(settings: str) -> str:
            given = (
                f"{settings} CREATE ROLE probe PASSWORD '{PROBE}'\n"
                "SELECT rolpassword FROM pg_authid WHERE rolname = 'probe'\n"
                "DROP ROLE probe\n"
            )
            command = ("--single", "-D", data, "-F", "postgres")
            answer = run(binaries / "postgres", *command, given=given, cwd="/", user=user)
            return answer.partition('rolpassword = "')[2].partition('"')[0]

        counts = (4096,) if int(release.partition(".")[0]) < 16 else (1, 4096, 25000)
        for iterations in counts:
            setting = f"SET scram_iterations = {iterations};" if len(counts) > 1 else ""
            hash_ = made(f"SET password_encryption = 'scram-sha-256'; {setting}")
            what = f"pbkdf2-sha256 iterations={iterations}"
            yield line(hash_, "postgres-scram", what, blocks=1, client_side=True)
        yield line(made("SET password_encryption = 'md5';"), "postgres-md5", "fast md5")


def mariadb() -> Iterator[Entry]:
    """Ask MariaDB's server in its bootstrap mode: no port, nothing to stop."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        answer = Path(folder, "answer")
        command = [shutil.which("mariadbd") or "mariadbd", "--no-defaults", "--bootstrap"]
        command += [f"--datadir={folder}", "--innodb=OFF", "--default-storage-engine=MyISAM"]
        command += ["--skip-grant-tables", *(["--user=root"] if os.getuid() == 0 else [])]
        run(*command, given=f"SELECT PASSWORD('{PROBE}') INTO OUTFILE '{answer}';\n")
        release, hash_ = packaged("mariadb-server-core"), answer.read_text("utf-8").strip()
        yield entry("MariaDB PASSWORD()", release, hash_, "mysql41", "fast sha1")


if __name__ == "__main__":
    show(globals()[sys.argv[1]]())
