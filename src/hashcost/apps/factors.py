"""How much longer or shorter the libraries of other languages take than those here.

Each compares single-threaded CPU time for the same cost on one machine.
"""

from __future__ import annotations

from typing import Final

from hashcost.apps.interface import Timing

_EPYC: Final = "measured 2026-11 on a 2-vCPU AMD EPYC guest"
_XEON: Final = "measured 2026-11 on a 2-vCPU Intel Xeon guest"

GO: Final = {
    "pbkdf2-sha256": Timing(
        implementation="hashlib",
        factor=0.71,
        source=f"{_EPYC}: Go 1.26 took 32.1 ms, hashlib 45.1 (200,000 iterations)",
    ),
    "pbkdf2-sha512": Timing(
        implementation="hashlib",
        factor=0.86,
        source=f"{_EPYC}: Go 1.26 took 89.4 ms, hashlib 103.6 (200,000 iterations)",
    ),
    "bcrypt": Timing(
        implementation="libcrypt",
        factor=1.13,
        source=f"{_EPYC}: Go's x/crypto took 56.7 ms, libxcrypt 50.0 (cost 10)",
    ),
    "scrypt": Timing(
        implementation="hashlib",
        factor=0.76,
        source=f"{_EPYC}: Go's x/crypto took 66.1 ms, hashlib 86.7 (N 32768, r 8, p 1)",
    ),
    "argon2id": Timing(
        implementation="argon2-cffi",
        factor=1.04,
        source="measured 2026-11 on a 2-vCPU Intel Xeon guest; on an AMD EPYC Go's x/crypto took"
        " 103.7 ms and argon2-cffi 133.9 (64 MiB, 3 passes), 0.77 times, so it may be quicker",
    ),
    "sha512-crypt": Timing(
        implementation="libcrypt",
        factor=0.79,
        source=f"{_XEON}: go-crypt 0.14.15 took 11.8 ms, libxcrypt 15.0 (50,000 rounds)",
    ),
}

JAVA: Final = {
    "pbkdf2-sha256": Timing(
        implementation="hashlib",
        factor=0.92,
        source=f"{_EPYC}: Java 17 took 41.3 ms, hashlib 45.1 (200,000 iterations)",
    ),
    "pbkdf2-sha512": Timing(
        implementation="hashlib",
        factor=1.59,
        source=f"{_EPYC}: Java 17 took 165.0 ms, hashlib 103.6 (200,000 iterations)",
    ),
    "bcrypt": Timing(
        implementation="libcrypt",
        factor=1.26,
        source=f"{_EPYC}: jBCrypt's code in Spring took 62.9 ms, libxcrypt 50.0 (cost 10)",
    ),
}
"""By the JDK's own providers, and by jBCrypt."""

LIBARGON2: Final = Timing(
    implementation="argon2-cffi",
    source="both are Argon2's reference implementation; taken for equal, not measured",
)
BOUNCY_CASTLE_ARGON2: Final = Timing(
    implementation="argon2-cffi",
    factor=1.2,
    source=f"{_XEON}: BouncyCastle 1.86 took 24.2 ms, argon2-cffi 20.2 (19 MiB, 2 passes)",
)
PASSWORD4J_ARGON2: Final = Timing(
    implementation="argon2-cffi",
    factor=2.1,
    source=f"{_XEON}: Password4j 1.8.4 took 42.6 ms, argon2-cffi 20.2 (19 MiB, 2 passes)",
)
PASSWORD4J_BCRYPT: Final = Timing(
    implementation="libcrypt",
    factor=1.27,
    source=f"{_XEON}: Password4j 1.8.4 took 33.2 ms, libxcrypt 26.1 (cost 9)",
)
JAVA_SCRAM: Final = {
    "pbkdf2-sha256": Timing(
        implementation="hashlib",
        factor=0.93,
        source=f"{_XEON}: Java 17's Mac in a loop took 22.9 ms, hashlib 24.7 (100,000 iterations)",
    ),
    "pbkdf2-sha512": Timing(
        implementation="hashlib",
        factor=1.5,
        source=f"{_XEON}: Java 17's Mac in a loop took 91.3 ms, hashlib 60.8 (100,000 iterations)",
    ),
}
"""As Kafka's ScramFormatter runs it, in clients as in brokers."""
