"""macOS: the CPU, by ``sysctlbyname(3)``; how much memory is free is not told there."""

import ctypes
import platform
from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from hashcost.core.machine import Machine
from hashcost.machine.facts import SPEED_FLAGS, without_marks
from hashcost.machine.posix import Posix

_INTEL_FLAGS = {"AVX2": "avx2", "AVX512F": "avx512f", "SHA": "sha_ni"}
"""Words of ``machdep.cpu.leaf7_features``, and what Linux calls them."""
_ARM_FLAGS = {
    "hw.optional.AdvSIMD": "asimd",
    "hw.optional.arm.FEAT_SHA1": "sha1",
    "hw.optional.arm.FEAT_SHA256": "sha2",
    "hw.optional.arm.FEAT_SHA512": "sha512",
    "hw.optional.arm.FEAT_SHA3": "sha3",
}
"""Names of Apple's "Determining instruction set characteristics"; 1 if the CPU has it."""


def sysctl(name: str) -> bytes | None:
    """What the kernel holds under a name; ``None`` if it does not know it."""
    by_name = getattr(ctypes.CDLL(None), "sysctlbyname", None)
    if by_name is None:
        return None
    text, pointer = ctypes.c_char_p, ctypes.c_void_p
    by_name.argtypes = (text, pointer, pointer, pointer, ctypes.c_size_t)
    size = ctypes.c_size_t(0)
    if by_name(name.encode(), None, ctypes.byref(size), None, 0) != 0:
        return None
    value = ctypes.create_string_buffer(size.value)
    if by_name(name.encode(), value, ctypes.byref(size), None, 0) != 0:
        return None
    return value.raw[: size.value]


@dataclass(frozen=True)
class MacOS(Posix):
    """A Unix that names its CPU."""

    sysctl: Callable[[str], bytes | None] = sysctl

    def describe(self) -> Machine:
        """The machine, with its CPU."""
        machine, release = super().describe(), platform.mac_ver()[0]
        return msgspec.structs.replace(
            machine,
            cpu_model=without_marks(self._text("machdep.cpu.brand_string")),
            cpu_flags=self._flags(),
            os=f"macOS {release}" if release else machine.os,
        )

    def _flags(self) -> tuple[str, ...]:
        words = (self._text("machdep.cpu.leaf7_features") or "").split()
        found = {_INTEL_FLAGS[word] for word in words if word in _INTEL_FLAGS}
        found |= {flag for name, flag in _ARM_FLAGS.items() if any(self.sysctl(name) or b"")}
        return tuple(flag for flag in SPEED_FLAGS if flag in found)

    def _text(self, name: str) -> str | None:
        """A text, without the zero byte that ends it."""
        value = self.sysctl(name)
        return None if value is None else value.rstrip(b"\0").decode(errors="replace")
