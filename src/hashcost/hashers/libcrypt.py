"""The system's crypt library, called through ctypes.

Python 3.13 has no ``crypt`` module, and the one before it could not be called
from two threads. ``crypt_r`` is re-entrant: each prepared call owns its state.
"""

import contextlib
import ctypes
import functools
import hashlib
from collections.abc import Callable
from pathlib import Path

import msgspec

from hashcost.core.errors import UnavailableError
from hashcost.core.measurement import Knob
from hashcost.hashers.built_in import Adapter, SettingOf, with_setting
from hashcost.machine.system_package import package_version

_CANDIDATES = ("libcrypt.so.1", "libcrypt.so.2")
# More than any ``struct crypt_data``: 32 KiB in libxcrypt, 128 KiB in glibc.
_STATE_BYTES = 256 * 1024

_MAPS = Path("/proc/self/maps")
# How the name of musl's libc begins, which has crypt_r itself.
_MUSL = "ld-musl-"


class LibCrypt(msgspec.Struct, frozen=True):
    """The loaded library: `caller` prepares a hash of one setting."""

    version: str
    _crypt_r: Callable[[bytes, bytes, ctypes.Array[ctypes.c_char]], bytes | None]
    is_musl: bool = False
    """Whether it is musl's libc, which has narrower ranges."""

    def caller(self, password: bytes, setting: bytes) -> Callable[[], bytes | None]:
        """A call without arguments that hashes the password with this setting."""
        # The state begins as zeros, which crypt_r asks for before its first call; see crypt(3).
        state = ctypes.create_string_buffer(_STATE_BYTES)
        return functools.partial(self._crypt_r, password, setting, state)

    def require(self, setting: bytes, algorithm: str) -> None:
        """Check that the library has an algorithm; ``setting`` is a cheap one, without salt.

        Raises:
            UnavailableError: it does not; glibc's own libcrypt and old ones have few algorithms.
        """
        output = self.caller(b"probe", setting + b"abcdefgh$")()
        if output is None or output[:1] == b"*":
            raise UnavailableError(f"this libcrypt has no {algorithm}")


@functools.cache
def load() -> LibCrypt:
    """Find and load the library, once.

    Raises:
        UnavailableError: it is missing, or lacks ``crypt_r``.
    """
    for candidate in (*_CANDIDATES, None):
        try:
            # None is the program itself: musl has crypt_r in its libc.
            crypt_r = ctypes.CDLL(candidate).crypt_r
        except (OSError, AttributeError, TypeError):
            continue
        # ctypes copies the output out of the state, and lets other threads run meanwhile.
        crypt_r.restype = ctypes.c_char_p
        crypt_r.argtypes = (ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p)
        return LibCrypt(_version(), crypt_r, is_musl=candidate is None)
    raise UnavailableError(
        "found no libcrypt with crypt_r here; on Debian: apt-get install libcrypt1"
    )


def adapted(
    name: str, setting_of: SettingOf, digest_characters: int, narrowed: tuple[Knob, ...] = ()
) -> Adapter:
    """An algorithm run by the library, within ``narrowed`` ranges if there are any."""
    library = load()
    prepare = with_setting(setting_of, digest_characters, library.caller)
    return Adapter(name, "libcrypt", library.version, prepare, narrowed)


def _version() -> str:
    """The version of the system's package, since no call tells that of libxcrypt.

    A library that came in no package goes by the name and the digest of its file: another one
    never has the same version.
    """
    with contextlib.suppress(OSError):
        for line in _MAPS.read_text(errors="replace").splitlines():
            # Addresses, rights and numbers come before the path; see proc(5).
            path = Path("/" + line.partition("/")[2])
            is_musl = path.name.startswith(_MUSL)
            if is_musl or path.name.startswith("libcrypt.so"):
                packages = "lib*crypt*"
                if is_musl:
                    packages = "musl*"
                digest = hashlib.sha256(path.read_bytes()).hexdigest()
                own = f"{path.name.removeprefix('libcrypt.')} {digest[:8]}"
                return package_version(path, packages) or own
    return "unknown version"
