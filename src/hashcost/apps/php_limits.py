"""What PHP's ``password_hash`` accepts, whichever application calls it."""

from __future__ import annotations

from typing import Final

from hashcost.apps.interface import Limits

PHP_BCRYPT_LIMITS: Final = {"cost": Limits(minimum=4, maximum=31)}
"""php-src, ext/standard/password.c."""

PHP_ARGON2_LIMITS: Final = {
    "memory_kib": Limits(minimum=8, maximum=2**32 - 1),
    "time_cost": Limits(minimum=1, maximum=2**32 - 1),
    "parallelism": Limits(minimum=1, maximum=1),
}
"""php-src, ext/standard/password.c; libsodium takes one thread alone."""
PHP_ARGON2_NOTE: Final = "by libsodium PHP refuses more than one thread"
