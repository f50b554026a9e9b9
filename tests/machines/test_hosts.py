"""Names of hosts, and the words that lead to them."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora import table
from hashcost.core.errors import UnreadableInputError, UsageError
from hashcost.machines.hosts import (
    FleetHost,
    each_once,
    hosts_in,
    hosts_of,
    inventory_hosts,
    prefix_words,
)

NAMED = FleetHost(
    name="web1", address="10.0.0.1", user="deploy", port=2222, ssh_options=("-i", "k")
)

DEEP = "[" * 3000 + "]" * 3000


@table("name")
def test_what_programs_call_hosts_is_a_name(name: str) -> None:
    """Names and addresses of ssh, docker and kubectl are names of hosts."""
    assert name == FleetHost(name=name).name


@table("name")
def test_what_could_be_something_else_is_none(name: str) -> None:
    """What ssh could take for an option, or a shell for more than a word, is refused."""
    with pytest.raises(UsageError, match="is not the name of a host"):
        FleetHost(name=name)
    if name:
        with pytest.raises(UsageError, match="of web1 is not the name of a host"):
            FleetHost(name="web1", address=name)


@given(st.text(max_size=30), st.text(max_size=30))
def test_each_host_has_a_file_of_its_own_in_the_folder(one: str, other: str) -> None:
    """Whatever hosts are called, their files are told apart, and lie in no other folder."""
    try:
        hosts = [FleetHost(name=one), FleetHost(name=other)]
    except UsageError:
        return
    files = [each.file_name for each in hosts]
    assert (one == other) == (files[0] == files[1])
    assert not any("/" in each or each.startswith(".") or len(each) > 255 for each in files)


def test_a_placeholder_stays_in_its_word() -> None:
    """The prefix is split first; each word then gets what the host is."""
    words = prefix_words("ssh -p {port} '{user}@{host}' --as={name} {{x}}", NAMED, "me")
    assert ("ssh", "-p", "2222", "deploy@10.0.0.1", "--as=web1", "{{x}}") == words
    plain = prefix_words("ssh -p {port} {user}@{host}", FleetHost(name="web1"), "me")
    assert ("ssh", "-p", "22", "me@web1") == plain


def test_a_user_without_a_name_is_only_needed_where_it_stands() -> None:
    """A process whose user is in no list of users runs every prefix that does not name it."""
    host = FleetHost(name="web1")
    assert ("ssh", "web1") == prefix_words("ssh {host}", host, "")
    with pytest.raises(UsageError, match=r"this user has no name here; write one for \{user\}"):
        prefix_words("ssh {user}@{host}", host, "")


def test_the_usual_way_is_ssh() -> None:
    """With what the inventory says; the host is no option even to an old ssh."""
    assert ("ssh", "--", "web1") == prefix_words(None, FleetHost(name="web1"), "me")
    expected = ("ssh", "-i", "k", "-p", "2222", "-l", "deploy", "--", "10.0.0.1")
    assert expected == prefix_words(None, NAMED, "me")


@pytest.mark.parametrize("prefix", ["", "ssh", "ssh {hosts}", "ssh '{host}"])
def test_a_prefix_without_a_host_is_refused(prefix: str) -> None:
    """It would measure one machine many times."""
    with pytest.raises(UsageError, match="--exec"):
        prefix_words(prefix, NAMED, "me")


def test_a_file_of_hosts() -> None:
    """A host a line, without what follows a #; a line that is none is named."""
    text = "# all\nweb1 # one\n\n\tweb2\nweb1\n"
    assert ["web1", "web2"] == [each.name for each in each_once(hosts_in(text))]
    with pytest.raises(UnreadableInputError, match="line 2: 'rm -rf' is not"):
        list(hosts_in("web1\nrm -rf\n"))


def test_a_host_is_taken_once_with_what_is_known_of_it() -> None:
    """One that is named beside an inventory keeps what that says."""
    assert (NAMED,) == each_once([FleetHost(name="web1"), NAMED, FleetHost(name="web1")])


def test_hosts_of_an_inventory() -> None:
    """Groups within groups, each host once, with the way there."""
    listed = {
        "_meta": {"hostvars": {"web1": {"ansible_host": "10.0.0.1", "ansible_port": 2222}}},
        "all": {"children": ["ungrouped", "web", "loop"]},
        "ungrouped": {"hosts": ["db1"]},
        "web": {"hosts": ["web1", "db1"], "children": ["loop"]},
        "loop": {"children": ["web"]},
    }
    db1, web1 = hosts_of(json.dumps(listed).encode())
    assert FleetHost(name="db1") == db1
    assert FleetHost(name="web1", address="10.0.0.1", port=2222) == web1


def test_an_inventory_tells_how_ssh_gets_in() -> None:
    """Its key and its arguments for ssh come before what the host is called."""
    variables = {
        "ansible_ssh_private_key_file": "keys/web",
        "ansible_ssh_common_args": "-o 'ProxyJump=gate way'",
        "ansible_ssh_user": "deploy",
    }
    listed = {"_meta": {"hostvars": {"web1": variables}}, "web": {"hosts": ["web1"]}}
    (web1,) = hosts_of(json.dumps(listed).encode())
    expected = ("ssh", "-i", "keys/web", "-o", "ProxyJump=gate way", "-l", "deploy", "--", "web1")
    assert expected == prefix_words(None, web1, "me")


@pytest.mark.parametrize(
    ("said", "why"), [("echo 'ERROR! no such plug-in' >&2", "no such plug-in"), ("", "no reason")]
)
def test_why_ansible_fails_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, said: str, why: str
) -> None:
    """The message has Ansible's reason, or says that there is none."""
    program = tmp_path / "ansible-inventory"
    program.write_text(f"#!/bin/sh\n{said}\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(UnreadableInputError, match=f"--inventory: ansible-inventory: .*{why}"):
        inventory_hosts(tmp_path / "hosts.ini", None)


@table("listed, told")
def test_an_inventory_that_is_none(listed: str, told: str) -> None:
    """What is no inventory, or has a host that is none, is refused."""
    with pytest.raises((UsageError, UnreadableInputError), match=told):
        hosts_of(listed.replace("NINES", "9" * 5000).replace("DEEP", DEEP).encode())
