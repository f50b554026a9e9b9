"""What Python tells about the machine on every system; a file per system knows more."""

from __future__ import annotations

import math
import mmap
import os
import platform
import re
from collections.abc import Callable, Mapping

from hashcost.core.origin import Machine

SPEED_FLAGS = ("sha_ni", "sha512", "avx2", "avx512f", "sha1", "sha2", "sha3", "asimd")
"""CPU flags that a hash library chooses its code by (x86 and Arm names)."""


def describe(
    *,
    cpu_model: str | None = None,
    cpu_count: int | None = None,
    cpu_flags: tuple[str, ...] = (),
    cpu_limit: float | None = None,
    memory_bytes: int | None = None,
    os_name: str | None = None,
    virtualization: str | None = None,
) -> Machine:
    """The machine, with what its system told; the rest is unknown or the same everywhere."""
    import ssl

    return Machine(
        cpu_model=None if cpu_model is None else _without_marks(cpu_model),
        cpu_count=cpu_count or os.cpu_count() or 1,
        cpu_flags=cpu_flags,
        cpu_limit=cpu_limit,
        memory_bytes=memory_bytes,
        os=os_name or f"{platform.system()} {platform.release()}".strip(),
        kernel=platform.release(),
        architecture=platform.machine(),
        virtualization=virtualization,
        python=f"{platform.python_implementation()} {platform.python_version()}",
        openssl=" ".join(ssl.OPENSSL_VERSION.split()[:2]),
        page_bytes=mmap.PAGESIZE,
    )


def whole_cpus(machine: Machine) -> int:
    """CPUs that can be kept busy at once: those the process may use, its limit rounded up."""
    if machine.cpu_limit is None:
        return machine.cpu_count
    return max(1, min(machine.cpu_count, math.ceil(machine.cpu_limit)))


def distribution(
    release: Callable[[], Mapping[str, str]] = platform.freedesktop_os_release,
) -> str | None:
    """The name of a Linux distribution; ``None`` if it does not say."""
    try:
        return release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return None


def _without_marks(cpu_model: str) -> str | None:
    return re.sub(r"\((?:R|TM|r|tm)\)", "", cpu_model).strip() or None
