"""How long libraries that are not Python's take, beside one that can be timed here.

Each factor is the ratio of the best of fifteen runs, one thread, CPU time.
"""

from __future__ import annotations

from typing import Final

from hashcost.apps.interface import Timing

_EPYC: Final = "measured 2026-11 on AMD EPYC with SHA-NI"
_XEON: Final = "measured 2026-11 on Intel Xeon"

PHP_BCRYPT: Final = Timing(
    implementation="libcrypt",
    factor=1.01,
    source=f"{_XEON}: PHP 8.2's own crypt_blowfish and libxcrypt 4.4 at cost 9",
)
RUBY_BCRYPT: Final = Timing(
    implementation="libcrypt",
    factor=0.98,
    source=f"{_XEON}: bcrypt-ruby 3.1.18 and libxcrypt 4.4 at cost 9",
)
NODE_BCRYPT: Final = Timing(
    implementation="libcrypt",
    factor=1.07,
    source=f"{_XEON}: bcrypt 6.0.0 (npm) on Node 20 and libxcrypt 4.4 at cost 9",
)
NODE_BCRYPTJS: Final = Timing(
    implementation="libcrypt",
    factor=1.42,
    source=f"{_EPYC}: bcryptjs on Node 20 and libxcrypt at cost 10",
)
SPRING_BCRYPT: Final = Timing(
    implementation="libcrypt",
    factor=1.26,
    source=f"{_EPYC}: Spring Security on Java 17 and libxcrypt at cost 10",
)
GO_BCRYPT: Final = Timing(
    implementation="libcrypt",
    factor=1.13,
    source=f"{_EPYC}: x/crypto on Go 1.26 and libxcrypt at cost 10",
)
JAVA_PBKDF2_SHA256: Final = Timing(
    implementation="hashlib",
    factor=0.92,
    source=f"{_EPYC}: Java 17 and OpenSSL 3.0.19, 200,000 iterations",
)
JAVA_PBKDF2_SHA512: Final = Timing(
    implementation="hashlib",
    factor=1.59,
    source=f"{_EPYC}: Java 17 and OpenSSL 3.0.19, 200,000 iterations",
)
NODE_PBKDF2_SHA256: Final = Timing(
    implementation="hashlib",
    factor=0.87,
    source=f"{_EPYC}: Node 20 and OpenSSL 3.0.19, 200,000 iterations",
)
NODE_PBKDF2_SHA512: Final = Timing(
    implementation="hashlib",
    factor=0.89,
    source=f"{_EPYC}: Node 20 and OpenSSL 3.0.19, 200,000 iterations",
)
NODE_SCRYPT: Final = Timing(
    implementation="hashlib",
    factor=0.96,
    source=f"{_EPYC}: Node 20 and OpenSSL 3.0.19 at N=2^15, r=8, p=1",
)
PHP_ARGON2: Final = Timing(
    implementation="argon2-cffi",
    source="PHP and argon2-cffi both have the reference libargon2; taken for equal, not measured",
)
DOTNET_PBKDF2: Final = Timing(
    implementation="hashlib",
    source=".NET calls the system's OpenSSL on Linux, as hashlib does; taken for equal, not"
    " measured",
)
ELIXIR_BCRYPT: Final = Timing(
    implementation="libcrypt",
    source="bcrypt_elixir's NIF is OpenBSD's C code; taken for equal, not measured",
)
ELIXIR_ARGON2: Final = Timing(
    implementation="argon2-cffi",
    source="argon2_elixir's NIF is the reference libargon2; taken for equal, not measured",
)
