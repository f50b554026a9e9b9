"""What macOS tells, by values as ``sysctl`` gives them."""

from __future__ import annotations

from collections.abc import Mapping

from hashcost.machine.macos import MacOS, sysctl

APPLE = {
    "machdep.cpu.brand_string": b"Apple M1\0",
    "hw.optional.AdvSIMD": b"\1\0\0\0",
    "hw.optional.arm.FEAT_SHA1": b"\1\0\0\0",
    "hw.optional.arm.FEAT_SHA256": b"\1\0\0\0",
    "hw.optional.arm.FEAT_SHA512": b"\1\0\0\0",
    "hw.optional.arm.FEAT_SHA3": b"\0\0\0\0",
}
INTEL = {
    "machdep.cpu.brand_string": b"Intel(R) Core(TM) i7-9750H CPU @ 2.60GHz\0",
    "machdep.cpu.leaf7_features": b"RDWRFSGSBASE TSC_THREAD_OFFSET BMI1 AVX2 SMEP BMI2 ERMS\0",
}


def _mac(values: Mapping[str, bytes]) -> MacOS:
    return MacOS(sysctl=values.get)


def test_an_arm_mac_is_described() -> None:
    """The chip has its name, and the flags that matter by their names on Linux."""
    found = _mac(APPLE).describe()
    assert "Apple M1" == found.cpu_model
    assert ("sha512", "sha1", "sha2", "asimd") == found.cpu_flags


def test_an_intel_mac_is_described() -> None:
    """Intel's flags are words of one text."""
    found = _mac(INTEL).describe()
    assert "Intel Core i7-9750H CPU @ 2.60GHz" == found.cpu_model
    assert ("avx2",) == found.cpu_flags


def test_what_it_does_not_tell_is_unknown() -> None:
    """A kernel that knows none of the names leaves the CPU unknown."""
    mac = _mac({})
    found = mac.describe()
    assert (None, (), None) == (found.cpu_model, found.cpu_flags, found.virtualization)
    assert mac.available_memory() is None


def test_another_kernel_knows_no_such_name() -> None:
    """A name that the kernel does not know has no value."""
    assert sysctl("hashcost.no.such.name") is None
