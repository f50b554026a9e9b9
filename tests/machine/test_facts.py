"""What is known of every machine."""

from __future__ import annotations

import mmap
import platform

import msgspec
import pytest

from fakes import TWO_CPUS
from hashcost.machine.facts import System, distribution, whole_cpus, without_marks


def test_what_no_system_told_is_unknown() -> None:
    """Facts that only some systems tell are ``None`` and keep no one from measuring."""
    found = System().describe()
    assert (None, (), None, None, None) == (
        found.cpu_model,
        found.cpu_flags,
        found.cpu_limit,
        found.memory_bytes,
        found.virtualization,
    )
    assert found.cpu_count >= 1
    assert found.os == f"{platform.system()} {platform.release()}"
    assert found.kernel == platform.release()
    assert found.python.endswith(platform.python_version())
    assert found.openssl.startswith(("OpenSSL ", "LibreSSL ", "AWS-LC "))
    assert found.page_bytes == mmap.PAGESIZE


@pytest.mark.parametrize(
    ("written", "model"),
    [("Intel(R) Xeon(TM) CPU\n", "Intel Xeon CPU"), (" ", None), ("", None), (None, None)],
)
def test_a_cpu_is_named_without_its_trademarks(written: str | None, model: str | None) -> None:
    """What is left of a name is the model; an empty name is none."""
    assert model == without_marks(written)


@pytest.mark.parametrize(
    ("count", "limit", "whole"),
    [(8, None, 8), (8, 2.0, 2), (8, 1.5, 2), (8, 0.1, 1), (2, 7.5, 2)],
)
def test_a_limit_is_rounded_up(count: int, limit: float | None, whole: int) -> None:
    """As many CPUs can be kept busy as the process may use, its limit rounded up."""
    machine = msgspec.structs.replace(TWO_CPUS, cpu_count=count, cpu_limit=limit)
    assert whole == whole_cpus(machine)


def test_a_distribution_names_itself() -> None:
    """The name of the distribution is the one that it gives itself, if it gives one."""

    def absent() -> dict[str, str]:
        raise OSError

    assert "Fedora 41" == distribution(lambda: {"PRETTY_NAME": "Fedora 41"})
    assert distribution(dict) is None
    assert distribution(absent) is None
