"""What is known of every machine."""

import mmap
import platform
from pathlib import Path
from unittest.mock import Mock

import psutil
import pytest
from msgspec.structs import replace

from corpora import table
from fakes import TWO_CPUS, limited_to
from hashcost.machine.facts import System, whole_cpus, without_marks


def test_any_system_is_described() -> None:
    """Facts that only some systems tell are `None` and keep no one from measuring."""
    machine = System().describe()
    assert ((), None, None) == (machine.cpu_flags, machine.cpu_limit, machine.virtualization)
    assert machine.cpu_count >= 1
    assert (machine.memory_bytes or 0) > 1 << 20
    assert machine.os == f"{platform.system()} {platform.release()}"
    assert machine.kernel == platform.release()
    assert machine.python.endswith(platform.python_version())
    assert machine.openssl.startswith(("OpenSSL ", "LibreSSL ", "AWS-LC "))
    assert machine.page_bytes == mmap.PAGESIZE


@pytest.mark.parametrize(
    ("mask", "fact"),
    [("~0x20", "~0x20"), ("", None), ("\x1b[2J", "malformed"), ("\udcff", "malformed")],
)
def test_a_mask_that_no_file_can_hold_is_malformed(
    mask: str, fact: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A profile and the history are written all the same, and can be read."""
    monkeypatch.setenv("OPENSSL_ia32cap", mask)

    assert fact == System().describe().openssl_ia32cap


def test_windows_names_its_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows tells Python the name of the CPU, and no other program is asked."""
    monkeypatch.setattr(platform, "system", lambda: "Windows")
    monkeypatch.setattr(platform, "processor", lambda: "Intel64 Family 6")
    monkeypatch.setenv("PATH", "")
    assert "Intel64 Family 6" == System().cpu_name()


@pytest.mark.parametrize(
    ("said", "architecture"), [("1", "arm64"), ("0", ""), ("", ""), (None, "")]
)
def test_rosetta_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str | None, architecture: str
) -> None:
    """MacOS tells a process whether Rosetta translates it; an older one has no such fact."""
    program = tmp_path / "sysctl"
    answer = "exit 1" if said is None else f"echo {said}"
    asked = f'case "$2" in sysctl.proc_translated) {answer};; *) echo "Apple M2";; esac'
    program.write_text(f"#!/bin/sh\n{asked}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(platform, "system", lambda: "Darwin")

    machine = System().describe()
    assert ("Apple M2", architecture) == (machine.cpu_model, machine.emulated_on)


@table("written, model")
def test_a_cpu_is_named_without_its_trademarks(written: str | None, model: str | None) -> None:
    """What is left of a name is the model; an empty name is none."""
    assert model == without_marks(written)


@table("count, limit, whole")
def test_a_limit_is_rounded_up(count: int, limit: float | None, whole: int) -> None:
    """As many CPUs can be kept busy as the process may use, its limit rounded up."""
    machine = replace(TWO_CPUS, cpu_count=count, cpu_limit=limit and limited_to(limit))
    assert whole == whole_cpus(machine)


@pytest.mark.parametrize(
    ("is_plugged_in", "is_told"), [(False, True), (True, False), (None, False), ("none", False)]
)
def test_a_battery_is_told(
    monkeypatch: pytest.MonkeyPatch, is_plugged_in: object, *, is_told: bool
) -> None:
    """A machine is on battery only where the system says so."""
    battery = None if is_plugged_in == "none" else Mock(power_plugged=is_plugged_in)
    monkeypatch.setattr(psutil, "sensors_battery", lambda: battery, raising=False)
    assert is_told == System().describe().power.on_battery
    monkeypatch.delattr(psutil, "sensors_battery")
    assert not System().describe().power.on_battery
