"""One string of every format, with salts and digests that are drawn anew each time."""

from __future__ import annotations

import base64
import random
import string
import struct
from collections.abc import Callable
from dataclasses import dataclass

from hashcost.core.measurement import Params
from hashcost.stored.formats.reading import Kind, Reading

CRYPT64 = "./" + string.digits + string.ascii_uppercase + string.ascii_lowercase
BASE64 = string.ascii_uppercase + string.ascii_lowercase + string.digits + "+/"


class Secrets:
    """Salts and digests from a seed, none of them a real one."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self.drawn: list[str] = []

    def characters(self, alphabet: str, count: int) -> str:
        """So many characters of an alphabet, kept in ``drawn``."""
        text = "".join(self._random.choices(alphabet, k=count))
        self.drawn.append(text)
        return text

    def crypt(self, count: int) -> str:
        """In the alphabet of crypt."""
        return self.characters(CRYPT64, count)

    def hex(self, count: int) -> str:
        """Lower-case hexadecimal."""
        return self.characters("0123456789abcdef", count)

    def base64(self, size: int, *, pad: bool = True, head: bytes = b"") -> str:
        """So many bytes in base64, behind a head that is no secret."""
        text = base64.b64encode(head + self._random.randbytes(size)).decode()
        self.drawn.append(text[len(head) * 4 // 3 + 2 :].rstrip("="))
        return text if pad else text.rstrip("=")


@dataclass(frozen=True)
class Sample:
    """A string of one format and what it says, whatever its secrets."""

    make: Callable[[Secrets], str]
    reading: Reading
    app: str | None = None

    @property
    def label(self) -> str:
        """What the test is called by."""
        return f"{self.reading.format} {self.reading.kind.value}"


def hashed(
    format_name: str,
    hasher: str,
    params: Params,
    *notes: str,
    blocks: int = 1,
    client_side: bool = False,
) -> Reading:
    """What a password hash says."""
    return Reading(
        kind=Kind.HASHED,
        format=format_name,
        hasher=hasher,
        params=params,
        blocks=blocks,
        client_side=client_side,
        notes=notes,
    )


def fast(format_name: str, hasher: str, *notes: str) -> Reading:
    """What a digest without a cost says."""
    return Reading(kind=Kind.FAST, format=format_name, hasher=hasher, notes=notes)


def _bcrypt(secrets: Secrets) -> str:
    return f"$2b$12${secrets.crypt(53)}"


def _argon2(secrets: Secrets) -> str:
    salt, digest = secrets.base64(16, pad=False), secrets.base64(32, pad=False)
    return f"$argon2id$v=19$m=65536,t=3,p=4${salt}${digest}"


def _sha512_crypt(secrets: Secrets) -> str:
    return f"$6$rounds=656000${secrets.crypt(16)}${secrets.crypt(86)}"


def _mongodb(secrets: Secrets, iterations: int, size: int) -> str:
    keys = f'"storedKey":"{secrets.base64(size)}","serverKey":"{secrets.base64(size)}"'
    return f'{{"iterationCount":{iterations},"salt":"{secrets.base64(16)}",{keys}}}'


def _adapted(text: str) -> str:
    return text.replace("+", ".")


_ARGON2_COST = {"memory_kib": 65536, "time_cost": 3, "parallelism": 4}
_N14 = {"n": 16384, "r": 8, "p": 1}

CRYPT = (
    Sample(_bcrypt, hashed("bcrypt", "bcrypt", {"cost": 12})),
    Sample(lambda s: f"$2y$05${s.crypt(53)}", hashed("bcrypt", "bcrypt", {"cost": 5})),
    Sample(lambda s: f"$2$31${s.crypt(53)}", hashed("bcrypt", "bcrypt", {"cost": 31})),
    Sample(
        lambda s: f"$bcrypt-sha256$v=2,t=2b,r=12${s.crypt(22)}${s.crypt(31)}",
        hashed("passlib bcrypt-sha256", "bcrypt", {"cost": 12}),
    ),
    Sample(
        lambda s: f"$bcrypt-sha256$2a,5${s.crypt(22)}${s.crypt(31)}",
        hashed("passlib bcrypt-sha256", "bcrypt", {"cost": 5}),
    ),
    Sample(_sha512_crypt, hashed("sha512-crypt", "sha512-crypt", {"rounds": 656000})),
    Sample(
        lambda s: f"$6${s.crypt(8)}${s.crypt(86)}",
        hashed("sha512-crypt", "sha512-crypt", {"rounds": 5000}),
    ),
    Sample(
        lambda s: f"$5${s.crypt(16)}${s.crypt(43)}",
        hashed("sha256-crypt", "sha256-crypt", {"rounds": 5000}),
    ),
    Sample(
        lambda s: f"$5$rounds=1000${s.crypt(16)}${s.crypt(43)}",
        hashed("sha256-crypt", "sha256-crypt", {"rounds": 1000}),
    ),
    Sample(
        lambda s: f"$1${s.crypt(8)}${s.crypt(21)}/",
        hashed("md5-crypt", "md5-crypt", {}, "fixed-cost"),
    ),
    Sample(
        lambda s: f"$apr1${s.crypt(8)}${s.crypt(21)}1",
        hashed("apr1", "md5-crypt", {}, "fixed-cost"),
    ),
    Sample(
        lambda s: f"$sha1$480000${s.crypt(8)}${s.crypt(28)}",
        hashed("sha1-crypt", "sha1-crypt", {"rounds": 480000}),
    ),
    Sample(
        lambda s: f"$md5,rounds=34000${s.crypt(8)}$${s.crypt(22)}",
        hashed("sun-md5-crypt", "sun-md5-crypt", {"rounds": 34000}),
    ),
    Sample(
        lambda s: f"$md5${s.crypt(8)}${s.crypt(22)}",
        hashed("sun-md5-crypt", "sun-md5-crypt", {"rounds": 0}),
    ),
    Sample(lambda s: f"$3$${s.hex(32)}", fast("nt crypt", "nt", "unsalted")),
    Sample(lambda s: f"_J9..{s.crypt(14)}.", hashed("bsdi-crypt", "bsdi-crypt", {"rounds": 725})),
    Sample(
        lambda s: f"Aa{s.crypt(10)}.",
        hashed("des-crypt", "des-crypt", {}, "fixed-cost", "truncated-password", "unmarked"),
    ),
    Sample(
        lambda s: s.crypt(24),
        hashed("bigcrypt", "bigcrypt", {}, "fixed-cost", "unmarked"),
        "hp-ux",
    ),
    Sample(
        lambda s: f"$y$j9T${s.crypt(22)}${s.crypt(43)}",
        hashed("yescrypt", "yescrypt", {"cost": 5}),
    ),
    Sample(
        lambda s: f"$y$jD5.7${s.crypt(22)}${s.crypt(43)}",
        hashed("yescrypt", "yescrypt", {"n": 65536, "r": 8, "p": 11}),
    ),
    Sample(
        lambda s: f"$gy$jFT${s.crypt(22)}${s.crypt(43)}",
        hashed("gost-yescrypt", "gost-yescrypt", {"cost": 11}),
    ),
    Sample(
        lambda s: f"$7$CU..../....{s.crypt(22)}${s.crypt(43)}",
        hashed("scrypt $7$", "scrypt", {"n": 16384, "r": 32, "p": 1}),
    ),
)

PHC = (
    Sample(_argon2, hashed("phc argon2", "argon2id", _ARGON2_COST)),
    Sample(
        lambda s: f"$argon2i$v=16$m=512,t=2,p=1${s.base64(8, pad=False)}${s.base64(32)}",
        hashed(
            "phc argon2",
            "argon2i",
            {"memory_kib": 512, "time_cost": 2, "parallelism": 1},
            "old-version",
        ),
    ),
    Sample(
        lambda s: f"$argon2d$m=512,t=2,p=1${s.base64(8, pad=False)}${s.base64(32)}",
        hashed(
            "phc argon2",
            "argon2d",
            {"memory_kib": 512, "time_cost": 2, "parallelism": 1},
            "old-version",
        ),
    ),
    Sample(
        lambda s: f"$pbkdf2$131000${_adapted(s.base64(16, pad=False))}${s.base64(20, pad=False)}",
        hashed("crypt pbkdf2", "pbkdf2-sha1", {"iterations": 131000}),
    ),
    Sample(
        lambda s: f"$pbkdf2-sha512$310000${s.base64(16, pad=False)}${s.base64(64, pad=False)}",
        hashed("crypt pbkdf2", "pbkdf2-sha512", {"iterations": 310000}),
    ),
    Sample(
        lambda s: f"$pbkdf2-sha256$29000${s.base64(16, pad=False)}${s.base64(64, pad=False)}",
        hashed("crypt pbkdf2", "pbkdf2-sha256", {"iterations": 29000}, "extra-blocks", blocks=2),
    ),
    Sample(
        lambda s: f"$pbkdf2-sha256$i=600000,l=32${s.base64(16, pad=False)}${s.base64(32)}",
        hashed("phc pbkdf2", "pbkdf2-sha256", {"iterations": 600000}),
    ),
    Sample(
        lambda s: f"$p5k2$2710${s.hex(16)}${s.hex(27)}=",
        hashed("p5k2 cryptacular", "pbkdf2-sha1", {"iterations": 10000}),
    ),
    Sample(
        lambda s: f"$p5k2$${s.crypt(8)}${s.crypt(32)}",
        hashed("p5k2 python-pbkdf2", "pbkdf2-sha1", {"iterations": 400}, "extra-blocks", blocks=2),
    ),
    Sample(
        lambda s: f"$ml$35460${s.hex(64)}${s.hex(256)}",
        hashed("macos pbkdf2", "pbkdf2-sha512", {"iterations": 35460}, "extra-blocks", blocks=2),
    ),
    Sample(
        lambda s: f"$scrypt$ln=16,r=8,p=1${s.base64(16, pad=False)}${s.base64(32, pad=False)}",
        hashed("phc scrypt", "scrypt", {"n": 65536, "r": 8, "p": 1}),
    ),
    Sample(
        lambda s: f"$scrypt$ln=16384,r=8,p=1${s.base64(32)}${s.base64(32)}",
        hashed("kratos scrypt", "scrypt", _N14),
    ),
    Sample(
        lambda s: f"$scrypt$ln=16,r=8,p=1${s.base64(32)}${s.base64(32)}",
        hashed("kratos scrypt", "scrypt", {"n": 16, "r": 8, "p": 1}),
        "kratos",
    ),
    Sample(
        lambda s: f"$s0$e0801${s.base64(16)}${s.base64(32)}",
        hashed("lambdaworks scrypt", "scrypt", _N14),
    ),
    Sample(
        lambda s: (
            f"$scram$4096${s.base64(12, pad=False)}$sha-1={s.base64(20, pad=False)}"
            f",sha-256={s.base64(32, pad=False)}"
        ),
        hashed("passlib scram", "pbkdf2-sha1", {"iterations": 4096}, client_side=True),
    ),
    Sample(
        lambda s: f"{{FSHP1|16|4096}}{s.base64(48)}",
        hashed("fshp", "pbkdf1-sha256", {"iterations": 4096}),
    ),
)

PYTHON = (
    Sample(
        lambda s: f"pbkdf2_sha256$1000000${s.hex(22)}${s.base64(32)}",
        hashed("django pbkdf2", "pbkdf2-sha256", {"iterations": 1000000}),
    ),
    Sample(
        lambda s: f"pbkdf2_sha1$1000${s.hex(22)}${s.base64(20)}",
        hashed("django pbkdf2", "pbkdf2-sha1", {"iterations": 1000}),
    ),
    Sample(
        lambda s: "argon2" + _argon2(s),
        hashed("django argon2", "argon2id", _ARGON2_COST),
        "django",
    ),
    Sample(lambda s: "bcrypt$" + _bcrypt(s), hashed("django bcrypt", "bcrypt", {"cost": 12})),
    Sample(
        lambda s: "bcrypt_sha256$" + _bcrypt(s),
        hashed("django bcrypt-sha256", "bcrypt", {"cost": 12}),
    ),
    Sample(
        lambda s: f"scrypt$16384${s.hex(22)}$8$5${s.base64(64)}",
        hashed("django scrypt", "scrypt", {"n": 16384, "r": 8, "p": 5}),
    ),
    Sample(lambda s: f"md5${s.hex(12)}${s.hex(32)}", fast("salted md5", "md5")),
    Sample(lambda s: f"sha1${s.hex(12)}${s.hex(40)}", fast("salted sha1", "sha1")),
    Sample(
        lambda s: f"crypt$${s.crypt(12)}.",
        hashed("django crypt", "des-crypt", {}, "fixed-cost", "truncated-password"),
    ),
    Sample(
        lambda s: "!" + s.characters(BASE64[:62], 40),
        Reading(kind=Kind.LOCKED, format="django unusable"),
    ),
    Sample(
        lambda s: f"pbkdf2:sha256:1000000${s.hex(16)}${s.hex(64)}",
        hashed("werkzeug pbkdf2", "pbkdf2-sha256", {"iterations": 1000000}),
    ),
    Sample(
        lambda s: f"scrypt:32768:8:1${s.hex(16)}${s.hex(128)}",
        hashed("werkzeug scrypt", "scrypt", {"n": 32768, "r": 8, "p": 1}),
    ),
)

LDAP = (
    Sample(lambda s: f"{{SSHA}}{s.base64(28)}", fast("ldap {SSHA}", "ssha")),
    Sample(lambda s: f"{{ssha}}{s.base64(24)}", fast("ldap {SSHA}", "ssha")),
    Sample(lambda s: f"{{SHA}}{s.base64(20)}", fast("ldap {SHA}", "sha1", "unsalted")),
    Sample(lambda s: f"{{MD5}}{s.base64(16)}", fast("ldap {MD5}", "md5", "unsalted")),
    Sample(lambda s: f"{{SMD5}}{s.base64(20)}", fast("ldap {SMD5}", "smd5")),
    Sample(lambda s: f"{{SSHA512}}{s.base64(72)}", fast("ldap {SSHA512}", "ssha512")),
    Sample(lambda s: f"{{SHA256}}{s.base64(32)}", fast("ldap {SHA256}", "sha256", "unsalted")),
    Sample(
        lambda s: f"{{PBKDF2}}10000${s.base64(16, pad=False)}${_adapted(s.base64(20, pad=False))}",
        hashed("ldap {PBKDF2}", "pbkdf2-sha1", {"iterations": 10000}),
    ),
    Sample(
        lambda s: f"{{PBKDF2-SHA512}}100000${s.base64(24)}${s.base64(64)}",
        hashed("ldap {PBKDF2-SHA512}", "pbkdf2-sha512", {"iterations": 100000}),
        "389-ds",
    ),
    Sample(
        lambda s: f"{{PBKDF2_SHA256}}{s.base64(320, head=struct.pack('>I', 30000))}",
        hashed(
            "389-ds {PBKDF2_SHA256}",
            "pbkdf2-sha256",
            {"iterations": 30000},
            "extra-blocks",
            blocks=8,
        ),
    ),
    Sample(lambda s: "{ARGON2}" + _argon2(s), hashed("ldap {ARGON2}", "argon2id", _ARGON2_COST)),
    Sample(lambda s: "{BCRYPT}" + _bcrypt(s), hashed("ldap {BCRYPT}", "bcrypt", {"cost": 12})),
    Sample(
        lambda s: "{crypt}" + _sha512_crypt(s),
        hashed("ldap {CRYPT}", "sha512-crypt", {"rounds": 656000}),
    ),
    Sample(
        lambda s: f"{{CRYPT}}{s.crypt(12)}.",
        hashed("ldap {CRYPT}", "des-crypt", {}, "fixed-cost", "truncated-password"),
    ),
    Sample(
        lambda s: f"{{CRYPT}}{s.crypt(35)}",
        hashed("ldap {CRYPT}", "bigcrypt", {}, "fixed-cost"),
    ),
    Sample(lambda s: f"MD5${s.base64(12)}${s.base64(16)}", fast("ldap authPassword MD5", "smd5")),
    Sample(lambda s: f"SHA1${s.base64(8)}${s.base64(20)}", fast("ldap authPassword SHA1", "ssha")),
    Sample(lambda s: "{CRYPT}*", Reading(kind=Kind.LOCKED, format="ldap {CRYPT}")),
    Sample(
        lambda s: f"{{GOST_YESCRYPT}}$gy$j9T${s.crypt(22)}${s.crypt(43)}",
        hashed("389-ds {GOST_YESCRYPT}", "gost-yescrypt", {"cost": 5}),
    ),
    Sample(
        lambda s: "{CLEARTEXT}" + s.crypt(9), Reading(kind=Kind.PLAIN, format="ldap {CLEARTEXT}")
    ),
    Sample(
        lambda s: f"{{PBKDF2}}$1${s.crypt(16)}$5000${s.hex(40)}",
        hashed("dovecot {PBKDF2}", "pbkdf2-sha1", {"iterations": 5000}),
    ),
    Sample(
        lambda s: f"{{SCRAM-SHA-256}}4096,{s.base64(16)},{s.base64(32)},{s.base64(32)}",
        hashed("dovecot {SCRAM-SHA-256}", "pbkdf2-sha256", {"iterations": 4096}, client_side=True),
    ),
    Sample(
        lambda s: f"{{SCRAM-SHA-1}}4096,{s.base64(16)},{s.base64(20)},{s.base64(20)}",
        hashed("dovecot {SCRAM-SHA-1}", "pbkdf2-sha1", {"iterations": 4096}, client_side=True),
    ),
    Sample(
        lambda s: "{ARGON2ID}" + _argon2(s), hashed("dovecot {ARGON2ID}", "argon2id", _ARGON2_COST)
    ),
    Sample(
        lambda s: "{BLF-CRYPT}" + _bcrypt(s), hashed("dovecot {BLF-CRYPT}", "bcrypt", {"cost": 12})
    ),
    Sample(
        lambda s: "{SHA512-CRYPT}" + _sha512_crypt(s),
        hashed("dovecot {SHA512-CRYPT}", "sha512-crypt", {"rounds": 656000}),
    ),
    Sample(
        lambda s: f"{{MD5}}$1${s.crypt(8)}${s.crypt(21)}.",
        hashed("dovecot {MD5}", "md5-crypt", {}, "fixed-cost"),
    ),
    Sample(lambda s: f"{{SSHA256.HEX}}{s.hex(72)}", fast("dovecot {SSHA256}", "ssha256")),
    Sample(lambda s: f"{{SHA.b64}}{s.base64(20)}", fast("dovecot {SHA}", "sha1", "unsalted")),
    Sample(lambda s: f"{{SHA512}}{s.hex(128)}", fast("dovecot {SHA512}", "sha512", "unsalted")),
    Sample(lambda s: f"{{PLAIN-MD5}}{s.hex(32)}", fast("dovecot {PLAIN-MD5}", "md5", "unsalted")),
    Sample(lambda s: f"{{LDAP-MD5}}{s.base64(16)}", fast("dovecot {LDAP-MD5}", "md5", "unsalted")),
    Sample(
        lambda s: f"{{CRAM-MD5}}{s.hex(64)}", fast("dovecot {CRAM-MD5}", "cram-md5", "unsalted")
    ),
    Sample(lambda s: f"{{DIGEST-MD5}}{s.hex(32)}", fast("dovecot {DIGEST-MD5}", "md5")),
    Sample(lambda s: "{PLAIN}" + s.crypt(9), Reading(kind=Kind.PLAIN, format="dovecot {PLAIN}")),
)

DATABASES = (
    Sample(
        lambda s: f"SCRAM-SHA-256$4096:{s.base64(16)}${s.base64(32)}:{s.base64(32)}",
        hashed("postgresql scram", "pbkdf2-sha256", {"iterations": 4096}, client_side=True),
    ),
    Sample(lambda s: f"md5{s.hex(32)}", fast("postgresql md5", "md5")),
    Sample(
        lambda s: "$A$00A$" + s.characters("\x01\x1fsalt~\x7f\n", 20) + s.crypt(43),
        hashed("mysql caching_sha2", "sha256-crypt", {"rounds": 10000}),
    ),
    Sample(
        lambda s: "0x" + b"$A$005$".hex().upper() + "0A" * 20 + s.crypt(43).encode().hex().upper(),
        hashed("mysql caching_sha2", "sha256-crypt", {"rounds": 5000}),
    ),
    Sample(lambda s: "*" + s.hex(40).upper(), fast("mysql native", "sha1", "unsalted")),
    Sample(lambda s: s.hex(16), fast("mysql old", "mysql323", "unmarked", "unsalted")),
    Sample(lambda s: "0x0100" + s.hex(48), fast("mssql 2005", "sha1")),
    Sample(lambda s: "0x0200" + s.hex(136).upper(), fast("mssql 2012", "sha512")),
    Sample(
        lambda s: "0x0300" + s.hex(136).upper(),
        hashed("mssql 2025", "pbkdf2-sha512", {"iterations": 100_000}, "fixed-cost"),
    ),
    Sample(lambda s: "S:" + s.hex(60).upper(), fast("oracle 11", "sha1")),
    Sample(
        lambda s: "T:" + s.hex(160).upper(),
        hashed("oracle 12", "pbkdf2-sha512", {"iterations": 4096}, "fixed-cost"),
    ),
    Sample(
        lambda s: f"S:{s.hex(60)};H:{s.hex(32)};T:{s.hex(160)}".upper(),
        fast("oracle spare4", "sha1"),
    ),
    Sample(
        lambda s: "$B$00A$" + s.characters("\x01\x1fsalt~\x7f\n", 20) + s.base64(64),
        hashed("mysql caching_sha2 pbkdf2", "pbkdf2-sha512", {"iterations": 10000}),
    ),
    Sample(
        lambda s: "0x" + b"$B$005$".hex().upper() + "0A" * 20 + s.base64(64).encode().hex(),
        hashed("mysql caching_sha2 pbkdf2", "pbkdf2-sha512", {"iterations": 5000}),
    ),
    Sample(
        lambda s: f"P3:{s.base64(18)}:{s.base64(32, pad=False)}",
        hashed("mariadb parsec", "pbkdf2-sha512", {"iterations": 8192}, client_side=True),
    ),
    Sample(
        lambda s: f"-pbkdf2:sha256-{s.hex(64)},{s.hex(32)},600000",
        hashed("couchdb pbkdf2", "pbkdf2-sha256", {"iterations": 600_000}),
    ),
    Sample(
        lambda s: f"-pbkdf2-{s.hex(40)},{s.hex(32)},10",
        hashed("couchdb pbkdf2", "pbkdf2-sha1", {"iterations": 10}),
    ),
    Sample(lambda s: f"-hashed-{s.hex(40)},{s.hex(32)}", fast("couchdb hashed", "sha1")),
    Sample(
        lambda s: (
            '{"_id":"org.couchdb.user:ann","password_scheme":"pbkdf2","pbkdf2_prf":"sha512",'
            f'"salt":"{s.hex(32)}","iterations":600000,"derived_key":"{s.hex(128)}","roles":[]}}'
        ),
        hashed("couchdb users", "pbkdf2-sha512", {"iterations": 600_000}),
    ),
    Sample(
        lambda s: (
            f"salt={s.base64(20)},stored_key={s.base64(64)},"
            f"server_key={s.base64(64)},iterations=8192"
        ),
        hashed("kafka scram", "pbkdf2-sha512", {"iterations": 8192}, client_side=True),
    ),
    Sample(
        lambda s: (
            f"SCRAM-SHA-256=salt={s.base64(20)},stored_key={s.base64(32)},"
            f"server_key={s.base64(32)},iterations=4096"
        ),
        hashed("kafka scram", "pbkdf2-sha256", {"iterations": 4096}, client_side=True),
    ),
    Sample(
        lambda s: f'{{"SCRAM-SHA-256":{_mongodb(s, 15000, 32)}}}',
        hashed("mongodb credentials", "pbkdf2-sha256", {"iterations": 15000}, client_side=True),
    ),
    Sample(
        lambda s: (
            '{"_id":"admin.ann","credentials":{"SCRAM-SHA-1":'
            f'{_mongodb(s, 10000, 20)},"SCRAM-SHA-256":{_mongodb(s, 15000, 32)}}}}}'
        ),
        hashed("mongodb credentials", "pbkdf2-sha1", {"iterations": 10000}, client_side=True),
    ),
    Sample(
        lambda s: (
            f'{{"type":"argon2id","time":4,"memory":1048576,"cpus":4,"salt":"{s.base64(32)}"}}'
        ),
        hashed(
            "luks2 keyslot",
            "argon2id",
            {"memory_kib": 1_048_576, "time_cost": 4, "parallelism": 4},
        ),
    ),
    Sample(
        lambda s: (
            '{"type":"luks2","key_size":64,"af":{"type":"luks1","stripes":4000,"hash":"sha256"},'
            '"area":{"type":"raw","offset":"32768","size":"258048","encryption":'
            '"aes-xts-plain64","key_size":64},"kdf":{"type":"pbkdf2","hash":"sha256",'
            f'"iterations":1000000,"salt":"{s.base64(32)}"}}}}'
        ),
        hashed(
            "luks2 keyslot",
            "pbkdf2-sha256",
            {"iterations": 1_000_000},
            "extra-blocks",
            blocks=2,
        ),
    ),
)

APPLICATIONS = (
    Sample(
        lambda s: f"{{PBKDF2}}10000${s.base64(32)}${s.base64(32)}",
        hashed("elasticsearch {PBKDF2}", "pbkdf2-sha512", {"iterations": 10000}),
    ),
    Sample(
        lambda s: f"{{PBKDF2_STRETCH}}50000${s.base64(32)}${s.base64(32)}",
        hashed("elasticsearch {PBKDF2_STRETCH}", "pbkdf2-sha512", {"iterations": 50000}),
    ),
    Sample(
        lambda s: f"{{SSHA256}}{s.base64(8)}{s.base64(32)}",
        fast("elasticsearch {SSHA256}", "ssha256"),
    ),
    Sample(lambda s: "{bcrypt}" + _bcrypt(s), hashed("spring bcrypt", "bcrypt", {"cost": 12})),
    Sample(lambda s: "{argon2}" + _argon2(s), hashed("spring argon2", "argon2id", _ARGON2_COST)),
    Sample(
        lambda s: f"{{scrypt}}$e0801${s.base64(64)}${s.base64(32)}",
        hashed("spring scrypt", "scrypt", _N14),
    ),
    Sample(
        lambda s: f"{{scrypt@SpringSecurity_v5_8}}$100801${s.base64(16)}${s.base64(32)}",
        hashed("spring scrypt", "scrypt", {"n": 65536, "r": 8, "p": 1}),
    ),
    Sample(
        lambda s: f"$100801${s.base64(16)}${s.base64(32)}",
        hashed("packed scrypt", "scrypt", {"n": 65536, "r": 8, "p": 1}),
    ),
    Sample(
        lambda s: "{pbkdf2}" + s.hex(80),
        hashed("spring pbkdf2", "pbkdf2-sha1", {}, "extra-blocks", "no-cost-stored", blocks=2),
    ),
    Sample(
        lambda s: "{pbkdf2}" + s.hex(160),
        Reading(
            kind=Kind.HASHED,
            format="spring pbkdf2",
            notes=("no-algorithm-stored", "no-cost-stored"),
        ),
    ),
    Sample(
        lambda s: "{pbkdf2@SpringSecurity_v5_8}" + s.hex(96),
        hashed("spring pbkdf2", "pbkdf2-sha256", {}, "no-cost-stored"),
    ),
    Sample(lambda s: f"{{ldap}}{{SSHA}}{s.base64(28)}", fast("spring ldap", "ssha")),
    Sample(lambda s: f"{{MD5}}{{{s.crypt(8)}}}{s.hex(32)}", fast("spring {MD5}", "md5")),
    Sample(lambda s: f"{{SHA-256}}{s.hex(64)}", fast("spring {SHA-256}", "sha256")),
    Sample(
        lambda s: f"{{sha256}}{s.hex(80)}",
        hashed("spring {sha256}", "iterated-sha256", {"iterations": 1024}, "fixed-cost"),
    ),
    Sample(lambda s: "{noop}" + s.crypt(9), Reading(kind=Kind.PLAIN, format="spring {noop}")),
    Sample(
        lambda s: f"$3${(10000 << 32) + 256}${s.base64(16)}${s.base64(32)}",
        hashed("password4j pbkdf2", "pbkdf2-sha256", {"iterations": 10000}),
    ),
    Sample(
        lambda s: f"$1${(10000 << 32) + 256}${s.base64(16)}${s.base64(32)}",
        hashed(
            "password4j pbkdf2", "pbkdf2-sha1", {"iterations": 10000}, "extra-blocks", blocks=2
        ),
    ),
    Sample(
        lambda s: f"$5${(600000 << 32) + 512}${s.base64(16)}${s.base64(64)}",
        hashed("password4j pbkdf2", "pbkdf2-sha512", {"iterations": 600000}),
    ),
    Sample(
        lambda s: f"$shiro1$SHA-256$500000${s.base64(16)}${s.base64(32)}",
        hashed("shiro1", "iterated-sha256", {"iterations": 500000}),
    ),
    Sample(
        lambda s: f"$shiro2$argon2id$v=19$t=1,m=65536,p=4${s.base64(16)}${s.base64(32)}",
        hashed("shiro2", "argon2id", {"memory_kib": 65536, "time_cost": 1, "parallelism": 4}),
    ),
    Sample(lambda s: f"$shiro2$2y$5${s.crypt(53)}", hashed("shiro2", "bcrypt", {"cost": 5})),
    Sample(
        lambda s: f"$7$101${s.base64(12)}${s.base64(64)}",
        hashed("mosquitto pbkdf2", "pbkdf2-sha512", {"iterations": 101}),
    ),
    Sample(lambda s: f"$6${s.base64(12)}${s.base64(64)}", fast("mosquitto sha512", "ssha512")),
    Sample(
        lambda s: f":pbkdf2:sha512:30000:64:{s.base64(16)}:{s.base64(64)}",
        hashed("mediawiki pbkdf2", "pbkdf2-sha512", {"iterations": 30000}),
    ),
    Sample(
        lambda s: ":argon2:" + _argon2(s), hashed("mediawiki argon2", "argon2id", _ARGON2_COST)
    ),
    Sample(
        lambda s: f":bcrypt:9${s.crypt(22)}${s.crypt(31)}",
        hashed("mediawiki bcrypt", "bcrypt", {"cost": 9}),
    ),
    Sample(lambda s: f"{s.hex(32)}:{s.hex(32)}", fast("joomla md5", "md5"), "joomla"),
    Sample(lambda s: f"{{SHA256}}{s.hex(64)}:{s.hex(32)}", fast("joomla sha256", "sha256")),
    Sample(
        lambda s: f"#jbcrypt:$2a$10${s.crypt(53)}",
        hashed("jenkins bcrypt", "bcrypt", {"cost": 10}),
    ),
    Sample(
        lambda s: f"$PBKDF2$HMACSHA512:210000:{s.hex(32)}${s.hex(128)}",
        hashed("jenkins pbkdf2", "pbkdf2-sha512", {"iterations": 210_000}),
    ),
    Sample(lambda s: f":B:{s.hex(8)}:{s.hex(32)}", fast("mediawiki B", "md5")),
    Sample(lambda s: f":A:{s.hex(32)}", fast("mediawiki A", "md5", "unsalted")),
    Sample(
        lambda s: f"$8${s.crypt(14)}${s.crypt(43)}",
        hashed("cisco 8", "pbkdf2-sha256", {"iterations": 20000}, "fixed-cost"),
    ),
    Sample(
        lambda s: f"$9${s.crypt(14)}${s.crypt(43)}",
        hashed("cisco 9", "scrypt", {"n": 16384, "r": 1, "p": 1}, "fixed-cost"),
    ),
    Sample(lambda s: s.crypt(43), fast("cisco 4", "sha256", "unsalted"), "cisco"),
    Sample(
        lambda s: f"{{X-PBKDF2}}HMACSHA1:AAAD6A:{s.base64(4)}:{s.base64(20)}",
        hashed("perl {X-PBKDF2}", "pbkdf2-sha1", {"iterations": 1000}),
    ),
    Sample(
        lambda s: f"{{X-PBKDF2}}HMACSHA2+512:AAAnEA:{s.base64(16)}:{s.base64(64)}",
        hashed("perl {X-PBKDF2}", "pbkdf2-sha512", {"iterations": 10000}),
    ),
    Sample(
        lambda s: f"{{x-issha, 1024}}{s.base64(32)}",
        hashed("sap H", "iterated-sha1", {"iterations": 1024}),
    ),
    Sample(
        lambda s: f"{{x-isSHA512, 7500}}{s.base64(70)}",
        hashed("sap H", "iterated-sha512", {"iterations": 7500}),
    ),
    Sample(
        lambda s: f"{s.hex(64)}$20000${s.hex(40)}",
        Reading(
            kind=Kind.HASHED,
            format="tomcat",
            params={"iterations": 20000},
            notes=("no-algorithm-stored",),
        ),
    ),
    Sample(
        lambda s: f"$wp$2y$10${s.crypt(53)}", hashed("wordpress bcrypt", "bcrypt", {"cost": 10})
    ),
    Sample(lambda s: f"$P$B{s.crypt(30)}", hashed("phpass", "phpass", {"cost": 13})),
    Sample(lambda s: f"$H$9{s.crypt(30)}", hashed("phpass", "phpass", {"cost": 11})),
    Sample(lambda s: f"$S$D{s.crypt(51)}", hashed("drupal", "phpass-sha512", {"cost": 15})),
    Sample(lambda s: f"U$P$B{s.crypt(30)}", hashed("drupal upgraded", "phpass", {"cost": 13})),
    Sample(lambda s: "1|" + _bcrypt(s), hashed("nextcloud", "bcrypt", {"cost": 12})),
    Sample(lambda s: "3|" + _argon2(s), hashed("nextcloud", "argon2id", _ARGON2_COST)),
    Sample(
        lambda s: f"$pbkdf2sha1$50000${s.base64(39)}${s.base64(39)}",
        hashed("foreman pbkdf2", "pbkdf2-sha1", {"iterations": 50000}, "extra-blocks", blocks=2),
    ),
    Sample(
        lambda s: "{PKCS5S2}" + s.base64(48),
        hashed(
            "atlassian {PKCS5S2}",
            "pbkdf2-sha1",
            {"iterations": 10000},
            "extra-blocks",
            "fixed-cost",
            blocks=2,
        ),
    ),
    Sample(
        lambda s: f"grub.pbkdf2.sha512.10000.{s.hex(128).upper()}.{s.hex(128).upper()}",
        hashed("grub pbkdf2", "pbkdf2-sha512", {"iterations": 10000}),
    ),
    Sample(
        lambda s: f"grub.pbkdf2.sha512.10000.{s.hex(128).upper()}.{s.hex(130).upper()}",
        hashed("grub pbkdf2", "pbkdf2-sha512", {"iterations": 10000}, "extra-blocks", blocks=2),
    ),
    Sample(
        lambda s: s.base64(48, head=struct.pack(">BIII", 1, 2, 100000, 16)),
        hashed("aspnet v3", "pbkdf2-sha512", {"iterations": 100000}),
    ),
    Sample(
        lambda s: s.base64(48, head=b"\0"),
        hashed(
            "aspnet v2",
            "pbkdf2-sha1",
            {"iterations": 1000},
            "extra-blocks",
            "fixed-cost",
            blocks=2,
        ),
    ),
    Sample(
        lambda s: f"{{ssha256}}06${s.crypt(16)}${s.crypt(43)}",
        hashed("aix {ssha256}", "pbkdf2-sha256", {"iterations": 64}),
    ),
    Sample(
        lambda s: f"{{smd5}}{s.crypt(8)}${s.crypt(22)}",
        hashed("aix {smd5}", "md5-crypt", {}, "fixed-cost"),
    ),
    Sample(
        lambda s: '{"hashIterations":210000,"algorithm":"pbkdf2-sha512"}',
        hashed("keycloak", "pbkdf2-sha512", {"iterations": 210000}),
    ),
    Sample(
        lambda s: '{"hashIterations":1300000,"algorithm":"pbkdf2"}',
        hashed("keycloak", "pbkdf2-sha1", {"iterations": 1_300_000}, "extra-blocks", blocks=4),
    ),
    Sample(
        lambda s: (
            '{"hashIterations":5,"algorithm":"argon2","additionalParameters":{"hashLength":'
            '["32"],"memory":["7168"],"type":["id"],"version":["1.3"],"parallelism":["1"]}}'
        ),
        hashed("keycloak", "argon2id", {"memory_kib": 7168, "time_cost": 5, "parallelism": 1}),
    ),
)

UNMARKED = (
    Sample(lambda s: s.hex(32), fast("hex md5", "md5", "unmarked", "ambiguous-prefix")),
    Sample(lambda s: s.hex(32).upper(), fast("hex nt", "nt", "unsalted"), "samba"),
    Sample(lambda s: s.hex(40), fast("hex sha1", "sha1", "unmarked")),
    Sample(lambda s: s.hex(64).upper(), fast("hex sha256", "sha256", "unmarked")),
    Sample(lambda s: s.hex(128), fast("hex sha512", "sha512", "unmarked")),
    Sample(lambda s: "$NT$" + s.hex(32), fast("$NT$", "nt", "unsalted")),
    Sample(lambda s: "$LM$" + s.hex(32), fast("$LM$", "lm", "unsalted")),
    Sample(
        lambda s: "$NT$" + "X" * 32,
        Reading(kind=Kind.LOCKED, format="samba without a password"),
    ),
    Sample(
        lambda s: "$LM$" + "AAD3B435B51404EE" * 2,
        Reading(kind=Kind.LOCKED, format="samba without a password"),
    ),
    Sample(
        lambda s: s.hex(100),
        hashed("grafana pbkdf2", "pbkdf2-sha256", {}, "extra-blocks", "no-cost-stored", blocks=2),
        "grafana",
    ),
    Sample(
        lambda s: s.base64(40),
        Reading(
            kind=Kind.HASHED,
            format="symfony pbkdf2",
            notes=("no-algorithm-stored", "no-cost-stored"),
        ),
        "symfony",
    ),
    Sample(lambda s: "#" + s.hex(64), fast("redis", "sha256", "unsalted")),
    Sample(
        lambda s: "$plaintext$" + s.crypt(9),
        Reading(kind=Kind.PLAIN, format="go-crypt plain text"),
    ),
    Sample(lambda s: s.base64(36), fast("rabbitmq", "sha256"), "rabbitmq"),
)

SAMPLES = (*CRYPT, *PHC, *PYTHON, *LDAP, *DATABASES, *APPLICATIONS, *UNMARKED)
