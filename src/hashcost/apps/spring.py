"""Spring Security: the password encoders."""

from __future__ import annotations

from hashcost.apps.files.source_code import reader
from hashcost.apps.files.timings import JAVA_PBKDF2_SHA256, JAVA_PBKDF2_SHA512, SPRING_BCRYPT
from hashcost.apps.interface import App, Default, Limits, Scheme, Timing, Write
from hashcost.core.model import Params

_FOLDER = "spring-security-crypto 6.5.11, org/springframework/security/crypto"
_BOUNCY = "Spring Security hashes it with Bouncy Castle's Java; time it there"


def _bean(made: str) -> str:
    return f"@Bean\nPasswordEncoder passwordEncoder() {{\n    return {made};\n}}\n"


def _write_bcrypt(params: Params) -> str:
    return _bean(f"new BCryptPasswordEncoder({params['cost']})")


def _pbkdf2(digest: str) -> Write:
    def write(params: Params) -> str:
        algorithm = f"Pbkdf2PasswordEncoder.SecretKeyFactoryAlgorithm.PBKDF2WithHmac{digest}"
        return _bean(f'new Pbkdf2PasswordEncoder("", 16, {params["iterations"]}, {algorithm})')

    return write


def _write_scrypt(params: Params) -> str:
    cost = f"{params['n']}, {params['r']}, {params['p']}"
    return _bean(f"new SCryptPasswordEncoder({cost}, 32, 16)")


def _write_argon2id(params: Params) -> str:
    cost = f"{params['parallelism']}, {params['memory_kib']}, {params['time_cost']}"
    return _bean(f"new Argon2PasswordEncoder(16, 32, {cost})")


def _pbkdf2_scheme(digest: str, timing: Timing, defaults: tuple[Default, ...] = ()) -> Scheme:
    return Scheme(
        hasher=f"pbkdf2-{digest.lower()}",
        library="the JDK's PBKDF2",
        timing=timing,
        keys={"iterations": "Pbkdf2PasswordEncoder"},
        limits={"iterations": Limits(minimum=1, maximum=2**31 - 1)},
        write=_pbkdf2(digest),
        defaults=defaults,
        note="the stored hash does not say its iterations: changing them locks everyone out,"
        " unless DelegatingPasswordEncoder keeps the old encoder",
    )


APP = App(
    name="spring",
    title="Spring Security",
    schemes=(
        Scheme(
            hasher="bcrypt",
            library="Spring Security's jBCrypt",
            timing=SPRING_BCRYPT,
            keys={"cost": "BCryptPasswordEncoder (log2)"},
            limits={"cost": Limits(minimum=4, maximum=31)},
            write=_write_bcrypt,
            defaults=(
                Default(
                    since="3.1",
                    params={"cost": 10},
                    source=f"{_FOLDER}/bcrypt/BCryptPasswordEncoder.java",
                ),
            ),
        ),
        _pbkdf2_scheme(
            "SHA256",
            JAVA_PBKDF2_SHA256,
            (
                Default(
                    since="5.8",
                    params={"iterations": 310_000},
                    source=f"{_FOLDER}/password/Pbkdf2PasswordEncoder.java",
                ),
            ),
        ),
        _pbkdf2_scheme("SHA512", JAVA_PBKDF2_SHA512),
        Scheme(
            hasher="scrypt",
            library="Bouncy Castle",
            timing=None,
            keys={
                "n": "SCryptPasswordEncoder: cpuCost",
                "r": "memoryCost",
                "p": "parallelization",
            },
            limits={
                "n": Limits(minimum=2, maximum=2**30, allowed=tuple(2**k for k in range(1, 31))),
                "r": Limits(minimum=1, maximum=2**16),
                "p": Limits(minimum=1, maximum=2**16),
            },
            write=_write_scrypt,
            defaults=(
                Default(
                    since="5.8",
                    params={"n": 65536, "r": 8, "p": 1},
                    source=f"{_FOLDER}/scrypt/SCryptPasswordEncoder.java",
                ),
            ),
            note=_BOUNCY,
        ),
        Scheme(
            hasher="argon2id",
            library="Bouncy Castle",
            timing=None,
            keys={
                "memory_kib": "Argon2PasswordEncoder: memory (KiB)",
                "time_cost": "iterations",
                "parallelism": "parallelism",
            },
            limits={
                "memory_kib": Limits(minimum=8, maximum=2**21),
                "time_cost": Limits(minimum=1, maximum=2**31 - 1),
                "parallelism": Limits(minimum=1, maximum=2**24 - 1),
            },
            write=_write_argon2id,
            defaults=(
                Default(
                    since="5.8",
                    params={"memory_kib": 16384, "time_cost": 2, "parallelism": 1},
                    source=f"{_FOLDER}/argon2/Argon2PasswordEncoder.java",
                ),
            ),
            note=_BOUNCY,
        ),
    ),
    comment="// {}",
    read=reader("java", "kotlin", libraries=("Spring Security",)),
    places=(),
    rehashes="on login where upgradeEncoding says so: only to a higher cost",
    sources=(_FOLDER,),
)
