"""The hosts that tests of fleets run on are hosts of their own."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from end_to_end.fleet_hosts import Fleet, fleet, old_python
from end_to_end.runtimes.projects import AbsentError

_FACTS = """\
hostname; cat /etc/machine-id; python3 -c 'import sys; print(sys.version_info[:2] < (3, 11) and sys.version_info > (3, 8))'
echo "${OPENSSL_ia32cap-}"; nice; wc -l </proc/self/cgroup; echo mine >/etc/only-here
"""


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """Five hosts."""
    with contextlib.ExitStack() as stack:
        try:
            found = stack.enter_context(fleet(tmp_path_factory.mktemp("fleet")))
        except AbsentError as error:
            pytest.skip(str(error))
        yield found


def test_each_is_a_host_of_its_own(hosts: Fleet) -> None:
    """Five names, five machine ids, and what is written in /etc on one is on no other."""
    told = [hosts.run(each, _FACTS).splitlines() for each in hosts.hosts]

    assert [each.name for each in hosts.hosts] == [name for name, *_ in told]
    assert len({machine_id for _, machine_id, *_ in told}) == len(hosts.hosts)
    assert [":~0x20000000"] == [mask for _, _, _, mask, *_ in told if mask]
    is_old = old_python() is not None
    assert [False, False, False, is_old, False] == [old == "True" for _, _, old, *_ in told]
    assert ["0", "0", "0", "0", "10"] == [each[4] for each in told]
    assert all((each.etc / "only-here").exists() for each in hosts.hosts)
    assert not Path("/etc/only-here").exists()
