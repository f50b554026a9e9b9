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
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final

from tools.stored_hashes.entry import PROBE, Entry, blocks_of, show

_TWICE: Final = f"{PROBE}\n{PROBE}\n"


def run(
    *command: str | Path,
    given: str = "",
    cwd: str | None = None,
    user: str | None = None,
) -> str:
    """Run a program, and return what it wrote."""
    done = subprocess.run(
        [str(word) for word in command],
        input=given,
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        user=user,
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
    entry = partial(Entry, program="htpasswd", version=packaged("apache2-utils"))

    def made(*options: str) -> str:
        return run("htpasswd", "-nb", *options, "u", PROBE).strip().removeprefix("u:")

    def bcrypt(cost: int, *options: str) -> Entry:
        return entry(
            hash=made("-B", *options), format_hint="bcrypt", hasher="bcrypt", params={"cost": cost}
        )

    yield bcrypt(5)
    for cost in (4, 7, 10):
        yield bcrypt(cost, "-C", str(cost))
    if "-5" in subprocess.run(["htpasswd"], capture_output=True, text=True, check=False).stderr:
        for flag, bits in (("-2", "256"), ("-5", "512")):
            for rounds, options in ((5000, ()), (1000, ("-r", "1000")), (7777, ("-r", "7777"))):
                yield entry(
                    hash=made(flag, *options),
                    format_hint="crypt-sha2",
                    hasher=f"sha{bits}-crypt",
                    params={"rounds": rounds},
                )
    yield entry(hash=made("-m"), format_hint="apr1", hasher="md5-crypt")
    yield entry(hash=made("-d"), format_hint="crypt-des", hasher="des-crypt")
    yield entry(hash=made("-s"), format_hint="ldap-digest", kind="fast", hasher="sha1")
    yield entry(hash=made("-p"), format_hint="plain", kind="plain", hasher=None)


def mkpasswd() -> Iterator[Entry]:
    """Ask whois's mkpasswd for the methods whose rounds it does not draw at random."""
    entry = partial(Entry, program="mkpasswd", version=packaged("whois"))

    def made(method: str, *rounds: int) -> str:
        return run("mkpasswd", "-m", method, *(f"-R{each}" for each in rounds), PROBE).strip()

    for method, hint, hasher, costs in (
        ("yescrypt", "yescrypt", "yescrypt", (1, 2, 3, 5, 6)),
        ("gost-yescrypt", "gost-yescrypt", "gost-yescrypt", (1, 4, 5)),
        ("bcrypt", "bcrypt", "bcrypt", (5, 6, 9)),
        ("bcrypt-a", "bcrypt", "bcrypt", (5, 7)),
    ):
        for cost in costs:
            yield entry(
                hash=made(method, cost),
                format_hint=hint,
                hasher=hasher,
                params={"cost": cost},
            )
        yield entry(hash=made(method), format_hint=hint, hasher=hasher, params={"cost": 5})
    for bits in ("256", "512"):
        method, hasher = f"sha{bits}crypt", f"sha{bits}-crypt"
        shared = partial(entry, format_hint="crypt-sha2", hasher=hasher)
        yield shared(hash=made(method), params={"rounds": 5000})
        for rounds in (1000, 5000, 54321):
            yield shared(hash=made(method, rounds), params={"rounds": rounds})
    yield entry(
        hash=made("bsdicrypt", 725),
        format_hint="crypt-bsdi",
        hasher="bsdi-crypt",
        params={"rounds": 725},
    )
    yield entry(hash=made("md5crypt"), format_hint="crypt-md5", hasher="md5-crypt")
    yield entry(hash=made("descrypt"), format_hint="crypt-des", hasher="des-crypt")
    yield entry(hash=made("nt"), format_hint="crypt-nt", kind="fast", hasher="nt")


def crypt_gensalt() -> Iterator[Entry]:
    """Ask libcrypt itself, as login.defs and pam_unix have it done."""
    libcrypt = ctypes.CDLL("libcrypt.so.1")
    libcrypt.crypt.restype = libcrypt.crypt_gensalt.restype = ctypes.c_char_p
    libcrypt.crypt_gensalt.argtypes = [
        ctypes.c_char_p,
        ctypes.c_ulong,
        ctypes.c_char_p,
        ctypes.c_int,
    ]
    entry = partial(Entry, program="libxcrypt crypt_gensalt", version=packaged("libcrypt1"))

    def made(prefix: str, count: int) -> str:
        setting = libcrypt.crypt_gensalt(prefix.encode(), count, None, 0)
        return str(libcrypt.crypt(PROBE.encode(), setting).decode())

    for prefix, hint, hasher, costs in (
        ("$y$", "yescrypt", "yescrypt", (1, 2, 3, 4, 5, 7)),
        ("$gy$", "gost-yescrypt", "gost-yescrypt", (2, 3)),
        ("$2b$", "bcrypt", "bcrypt", (4, 8)),
        ("$2y$", "bcrypt", "bcrypt", (4,)),
    ):
        for cost in costs:
            yield entry(
                hash=made(prefix, cost),
                format_hint=hint,
                hasher=hasher,
                params={"cost": cost},
            )
    for log2 in (6, 7, 8):
        # crypt-scrypt.c of libxcrypt has N = 1 << (count + 7), r = 32 and p = 1.
        yield entry(
            hash=made("$7$", log2),
            format_hint="crypt-scrypt",
            hasher="scrypt",
            params={"n": 2 ** (log2 + 7), "r": 32, "p": 1},
        )
    for prefix, hasher in (("$5$", "sha256-crypt"), ("$6$", "sha512-crypt")):
        for count, rounds in ((0, 5000), (1, 1000), (4999, 4999), (200000, 200000)):
            yield entry(
                hash=made(prefix, count),
                format_hint="crypt-sha2",
                hasher=hasher,
                params={"rounds": rounds},
            )


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

        for method, hint, hasher, name, costs in (
            ("SHA512", "crypt-sha2", "sha512-crypt", "rounds", (1000, 5000, 65600)),
            ("SHA256", "crypt-sha2", "sha256-crypt", "rounds", (5000, 6000)),
            ("YESCRYPT", "yescrypt", "yescrypt", "cost", (1, 3, 5)),
        ):
            for cost in costs:
                shadow.write_text("u:!:20000:0:99999:7:::\n", "utf-8")
                command = ["chpasswd", "-R", folder, "-c", method, "-s", str(cost)]
                run(*command, given=f"u:{PROBE}\n")
                yield Entry(
                    program="chpasswd",
                    version=release,
                    hash=stored(),
                    format_hint=hint,
                    hasher=hasher,
                    params={name: cost},
                )
        run("usermod", "-R", folder, "-L", "u")
        yield Entry(
            program="usermod -L",
            version=release,
            hash=stored(),
            format_hint="unix-locked",
            kind="locked",
            hasher=None,
        )


def openssl() -> Iterator[Entry]:
    """Ask openssl passwd; it knows no rounds but the default."""
    entry = partial(Entry, program="openssl passwd", version=run("openssl", "version").split()[1])

    def made(flag: str) -> str:
        return run("openssl", "passwd", flag, PROBE).strip()

    yield entry(hash=made("-1"), format_hint="crypt-md5", hasher="md5-crypt")
    yield entry(hash=made("-apr1"), format_hint="apr1", hasher="md5-crypt")
    for flag, hasher in (("-5", "sha256-crypt"), ("-6", "sha512-crypt")):
        yield entry(
            hash=made(flag), format_hint="crypt-sha2", hasher=hasher, params={"rounds": 5000}
        )


def doveadm() -> Iterator[Entry]:
    """Ask Dovecot, whose PBKDF2 is a layout of its own and whose SCRAM ignores -r."""
    entry = partial(Entry, program="doveadm pw", version=packaged("dovecot-core"), app="dovecot")

    def made(scheme: str, *options: str) -> str:
        return run("doveadm", "pw", "-s", scheme, *options, "-u", "u", "-p", PROBE).strip()

    for scheme, hint, hasher, name, default, costs in (
        ("BLF-CRYPT", "dovecot-crypt", "bcrypt", "cost", 5, (4, 7)),
        ("SHA256-CRYPT", "dovecot-crypt", "sha256-crypt", "rounds", 5000, (1000, 6001)),
        ("SHA512-CRYPT", "dovecot-crypt", "sha512-crypt", "rounds", 5000, (1000, 6001)),
        ("PBKDF2", "dovecot-pbkdf2", "pbkdf2-sha1", "iterations", 5000, (1000, 7000)),
    ):
        blocks = 1 if scheme == "PBKDF2" else None
        shared = partial(entry, format_hint=hint, hasher=hasher, blocks=blocks)
        yield shared(hash=made(scheme), params={name: default})
        for cost in costs:
            yield shared(hash=made(scheme, "-r", str(cost)), params={name: cost})
    # -r is Argon2's time cost, and picks libsodium's memory tier (interactive, then moderate).
    for scheme, time, memory in (
        ("ARGON2ID", 3, 262144),
        ("ARGON2I", 4, 32768),
        ("ARGON2I", 6, 131072),
    ):
        yield entry(
            hash=made(scheme, "-r", str(time)),
            format_hint="dovecot-argon2",
            hasher=scheme.lower(),
            params={"memory_kib": memory, "time_cost": time, "parallelism": 1},
        )
    for digest in ("1", "256"):
        yield entry(
            hash=made(f"SCRAM-SHA-{digest}"),
            format_hint="dovecot-scram",
            hasher=f"pbkdf2-sha{digest}",
            params={"iterations": 4096},
            blocks=1,
            client_side=True,
        )
    yield entry(hash=made("MD5-CRYPT"), format_hint="dovecot-crypt", hasher="md5-crypt")
    yield entry(hash=made("DES-CRYPT"), format_hint="dovecot-crypt", hasher="des-crypt")
    for scheme, hasher in (
        ("SHA", "sha1"),
        ("SHA1", "sha1"),
        ("SHA256", "sha256"),
        ("SHA512", "sha512"),
        ("SSHA", "ssha"),
        ("SSHA256", "ssha256"),
        ("SSHA256.HEX", "ssha256"),
        ("SSHA512", "ssha512"),
        ("SMD5", "smd5"),
        ("LDAP-MD5", "md5"),
        ("PLAIN-MD5", "md5"),
        ("CRAM-MD5", "cram-md5"),
        ("DIGEST-MD5", "md5"),
    ):
        yield entry(hash=made(scheme), format_hint="dovecot-digest", kind="fast", hasher=hasher)
    for scheme in ("PLAIN", "CLEARTEXT"):
        yield entry(hash=made(scheme), format_hint="plain", kind="plain", hasher=None)


def slappasswd() -> Iterator[Entry]:
    """Ask OpenLDAP's slappasswd, with the modules of slapd-contrib."""
    entry = partial(Entry, program="slappasswd", version=packaged("slapd"), app="openldap")

    def made(scheme: str, *module: str, setting: tuple[str, ...] = ()) -> str:
        return run("slappasswd", "-n", "-s", PROBE, *module, "-h", scheme, *setting)

    for scheme, digest in (
        ("{PBKDF2}", "sha1"),
        ("{PBKDF2-SHA1}", "sha1"),
        ("{PBKDF2-SHA256}", "sha256"),
        ("{PBKDF2-SHA512}", "sha512"),
    ):
        yield entry(
            hash=made(scheme, "-o", "module-load=pw-pbkdf2"),
            format_hint="ldap-pbkdf2",
            hasher=f"pbkdf2-{digest}",
            params={"iterations": 10000},
            blocks=1,
        )
    for memory, time, lanes in ((4096, 3, 1), (8192, 2, 2)):
        module = f"module-load=argon2 m={memory} t={time} p={lanes}"
        yield entry(
            hash=made("{ARGON2}", "-o", module),
            format_hint="ldap-argon2",
            hasher="argon2i",
            params={"memory_kib": memory, "time_cost": time, "parallelism": lanes},
        )
    for setting, hasher, params in (
        ("$6$rounds=7000$%.16s", "sha512-crypt", {"rounds": 7000}),
        ("$6$%.16s", "sha512-crypt", {"rounds": 5000}),
        ("$5$rounds=1000$%.8s", "sha256-crypt", {"rounds": 1000}),
        ("$2b$06$%.22s", "bcrypt", {"cost": 6}),
        ("$1$%.8s", "md5-crypt", {}),
    ):
        yield entry(
            hash=made("{CRYPT}", setting=("-c", setting)),
            format_hint="ldap-crypt",
            hasher=hasher,
            params=params,
        )
    for scheme, hasher, options in (
        ("{MD5}", "md5", ()),
        ("{SMD5}", "smd5", ()),
        ("{SHA}", "sha1", ()),
        ("{SSHA}", "ssha", ()),
        ("{SHA256}", "sha256", ("-o", "module-load=pw-sha2")),
        ("{SSHA256}", "ssha256", ("-o", "module-load=pw-sha2")),
        ("{SHA384}", "sha384", ("-o", "module-load=pw-sha2")),
        ("{SSHA384}", "ssha384", ("-o", "module-load=pw-sha2")),
        ("{SHA512}", "sha512", ("-o", "module-load=pw-sha2")),
        ("{SSHA512}", "ssha512", ("-o", "module-load=pw-sha2")),
    ):
        encoded = made(scheme, *options)
        yield entry(hash=encoded, format_hint="ldap-digest", kind="fast", hasher=hasher)


def pwdhash() -> Iterator[Entry]:
    """Ask 389 Directory Server's pwdhash, without a server: its built-in defaults."""
    entry = partial(Entry, program="389-ds pwdhash", version=packaged("389-ds-base"), app="389-ds")

    def made(scheme: str) -> str:
        return run("pwdhash", "-s", scheme, PROBE).strip()

    for digest in ("sha1", "sha256", "sha512"):
        yield entry(
            hash=made(f"PBKDF2-{digest.upper()}"),
            format_hint="389-pbkdf2",
            hasher=f"pbkdf2-{digest}",
            params={"iterations": 10000},
            blocks=1,
        )
    # 8192 and 256 bytes are pbkdf2_pwd.c's; only a server that starts calibrates the former.
    yield entry(
        hash=made("PBKDF2_SHA256"),
        format_hint="389-legacy-pbkdf2",
        hasher="pbkdf2-sha256",
        params={"iterations": 8192},
        blocks=blocks_of(256, "sha256"),
    )
    yield entry(
        hash=made("GOST_YESCRYPT"),
        format_hint="389-gost-yescrypt",
        hasher="gost-yescrypt",
        params={"cost": 5},
    )
    for scheme, hasher, params in (
        ("CRYPT", "des-crypt", {}),
        ("CRYPT-MD5", "md5-crypt", {}),
        ("CRYPT-SHA256", "sha256-crypt", {"rounds": 5000}),
        ("CRYPT-SHA512", "sha512-crypt", {"rounds": 5000}),
    ):
        yield entry(hash=made(scheme), format_hint="ldap-crypt", hasher=hasher, params=params)
    for scheme, hasher in (
        ("SHA", "sha1"),
        ("SSHA", "ssha"),
        ("SSHA256", "ssha256"),
        ("SSHA384", "ssha384"),
        ("SHA512", "sha512"),
        ("SSHA512", "ssha512"),
        ("SMD5", "smd5"),
        ("MD5", "md5"),
    ):
        yield entry(hash=made(scheme), format_hint="ldap-digest", kind="fast", hasher=hasher)


def grub() -> Iterator[Entry]:
    """Ask grub-mkpasswd-pbkdf2; an output above 64 bytes costs another block."""
    for iterations, output in ((10000, 64), (1500, 64), (2000, 65), (2500, 128), (3000, 20)):
        command = ["grub-mkpasswd-pbkdf2", "-c", str(iterations), "-l", str(output)]
        yield Entry(
            program="grub-mkpasswd-pbkdf2",
            version=packaged("grub-common"),
            hash=run(*command, given=_TWICE).split()[-1],
            format_hint="grub",
            hasher="pbkdf2-sha512",
            params={"iterations": iterations},
            blocks=blocks_of(output, "sha512"),
        )


def mosquitto() -> Iterator[Entry]:
    """Ask mosquitto_passwd, whose $7$ is PBKDF2 and not scrypt."""
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder, "passwords")
        for iterations, options in ((101, ()), (2000, ("-I", "2000"))):
            kept.touch(mode=0o600)
            run("mosquitto_passwd", *options, "-b", kept, "u", PROBE)
            yield Entry(
                program="mosquitto_passwd",
                version=packaged("mosquitto"),
                hash=kept.read_text("utf-8").strip().removeprefix("u:"),
                format_hint="mosquitto-pbkdf2",
                hasher="pbkdf2-sha512",
                params={"iterations": iterations},
                blocks=1,
            )
        run("mosquitto_passwd", "-H", "sha512", "-b", kept, "u", PROBE)
        yield Entry(
            program="mosquitto_passwd",
            version=packaged("mosquitto"),
            hash=kept.read_text("utf-8").strip().removeprefix("u:"),
            format_hint="mosquitto-sha512",
            kind="fast",
            hasher="ssha512",
        )


def argon2() -> Iterator[Entry]:
    """Ask the reference implementation's command."""
    for flag, hasher in (("-id", "argon2id"), ("-i", "argon2i"), ("-d", "argon2d")):
        for memory, time, lanes in ((1024, 1, 1), (2048, 4, 2)):
            yield Entry(
                program="argon2",
                version=packaged("argon2"),
                hash=run(
                    "argon2",
                    "probe-salt",
                    flag,
                    *("-k", str(memory), "-t", str(time), "-p", str(lanes), "-e"),
                    given=PROBE,
                ).strip(),
                format_hint="phc-argon2",
                hasher=hasher,
                params={"memory_kib": memory, "time_cost": time, "parallelism": lanes},
            )


def postgres() -> Iterator[Entry]:
    """Ask PostgreSQL in its single-user mode: no port, nothing to stop.

    ``POSTGRES`` names the folder of its programs and ``POSTGRES_PROGRAM`` what to call it;
    scram_iterations came with version 16.
    """
    binaries, program = Path(os.environ["POSTGRES"]), os.environ["POSTGRES_PROGRAM"]
    release = run(binaries / "postgres", "--version").split()[2]
    user = "postgres" if os.getuid() == 0 else None
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        if user is not None:
            shutil.chown(folder, user)
        data = Path(folder, "data")
        run(binaries / "initdb", "-D", data, "--no-sync", "-U", "postgres", cwd="/", user=user)

        def asked(settings: str) -> str:
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
            yield Entry(
                program=program,
                version=release,
                hash=asked(f"SET password_encryption = 'scram-sha-256'; {setting}"),
                format_hint="postgres-scram",
                hasher="pbkdf2-sha256",
                params={"iterations": iterations},
                blocks=1,
                client_side=True,
            )
        yield Entry(
            program=program,
            version=release,
            hash=asked("SET password_encryption = 'md5';"),
            format_hint="postgres-md5",
            kind="fast",
            hasher="md5",
        )


def mariadb() -> Iterator[Entry]:
    """Ask MariaDB's server in its bootstrap mode: no port, nothing to stop."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        answer = Path(folder, "answer")
        as_root = ["--user=root"] if os.getuid() == 0 else []
        command = [
            shutil.which("mariadbd") or "mariadbd",
            "--no-defaults",
            "--bootstrap",
            f"--datadir={folder}",
            "--innodb=OFF",
            "--default-storage-engine=MyISAM",
            "--skip-grant-tables",
            *as_root,
        ]
        given = f"SELECT PASSWORD('{PROBE}') INTO OUTFILE '{answer}';\n"
        run(*command, given=given)
        yield Entry(
            program="MariaDB PASSWORD()",
            version=packaged("mariadb-server-core"),
            hash=answer.read_text("utf-8").strip(),
            format_hint="mysql41",
            kind="fast",
            hasher="sha1",
        )


MAKERS: Final[dict[str, Callable[[], Iterator[Entry]]]] = {
    "htpasswd": htpasswd,
    "mkpasswd": mkpasswd,
    "crypt_gensalt": crypt_gensalt,
    "chpasswd": chpasswd,
    "openssl": openssl,
    "doveadm": doveadm,
    "slappasswd": slappasswd,
    "pwdhash": pwdhash,
    "grub": grub,
    "mosquitto": mosquitto,
    "argon2": argon2,
    "postgres": postgres,
    "mariadb": mariadb,
}

if __name__ == "__main__":
    for made in MAKERS[sys.argv[1]]():
        show(made)
