"""The listings of hashers, policies and devices."""

from __future__ import annotations

from typing import Final

import msgspec

from hashcost.core.measurement import Knob, Scale
from hashcost.render import render
from hashcost.render.commands.listings import (
    Listing,
    gpus_document,
    hashers_document,
    policies_document,
)
from hashcost.worth.attackers.device import load_device
from hashcost.worth.policies.catalogue import load_policy

ROUNDS: Final = Knob(name="rounds", scale=Scale.LINEAR, minimum=1000, maximum=999_999_999)
COST: Final = Knob(name="cost", scale=Scale.LOG2, minimum=4, maximum=31)

CRYPT: Final = Listing(
    hasher="sha512-crypt",
    implementation="libcrypt",
    version="4.4.33-2",
    available=True,
    reason=None,
    default=True,
    knobs=(ROUNDS,),
)
LISTINGS: Final = (
    CRYPT,
    msgspec.structs.replace(CRYPT, implementation="passlib", version="1.9.4", default=False),
    msgspec.structs.replace(
        CRYPT,
        hasher="bcrypt",
        implementation="bcrypt",
        version=None,
        available=False,
        reason="the Python package that has bcrypt is not installed",
        knobs=(),
    ),
    msgspec.structs.replace(
        CRYPT,
        hasher="bcrypt",
        available=False,
        reason="returned the failure token *0 instead of a hash",
        default=False,
        knobs=(COST,),
    ),
)


def test_table() -> None:
    """The table gives version, knob, range and state, and below it why one does not work."""
    expected = """\
hasher                 version   knob    range            here
sha512-crypt@libcrypt  4.4.33-2  rounds  1000..999999999  default
sha512-crypt@passlib   1.9.4     rounds  1000..999999999  yes
bcrypt@bcrypt          -         -       -                no
bcrypt@libcrypt        4.4.33-2  cost    4..31            no

bcrypt@bcrypt: the Python package that has bcrypt is not installed
bcrypt@libcrypt: returned the failure token *0 instead of a hash
"""

    assert expected == render(hashers_document(LISTINGS), "table", width=80)


def test_json() -> None:
    """The JSON reads back as the listings, knobs and ranges included."""
    printed = render(hashers_document(LISTINGS), "json")

    assert LISTINGS == msgspec.json.decode(printed, type=tuple[Listing, ...])


def test_policies_listed() -> None:
    """A policy has its row with its title and day, and below it where it is read."""
    expected = """\
policy         as of       title
rfc9106-first  2021-09-07  RFC 9106, FIRST RECOMMENDED option

rfc9106-first: https://www.rfc-editor.org/rfc/rfc9106.html#section-4
`calibrate policies NAME` shows a policy's minimums.
"""
    document = policies_document((load_policy("rfc9106-first"),), in_full=False)

    assert expected == render(document, "table", width=80)


def test_policy_in_full() -> None:
    """In full a policy has its source, what it approves of, its note, and every floor with the
    place and the day that it is from.
    """
    policy = load_policy("disa-stig")
    expected = """\
disa-stig: DISA STIGs for RHEL, Oracle Linux, SLES and Ubuntu, 2026-07-01
https://www.cyber.mil/stigs/downloads/
approves only sha512-crypt
for the accounts of the operating system
[1] less than 100000 is a finding: RHEL-08-010130 (SV-230233r1044790),
  RHEL-09-611050 and -611055 (SV-258099r1045198, SV-258100r1045201),
  RHEL-10-600700 and -600720, OL08-00-010130, OL09-00-001065 to -001075,
  SLES-12-010240, SLES-15-020190, SLEM-05-611085, UBTU-22-611055
  (SV-260569r1101736); Ubuntu 24.04 as controls/stig_ubuntu2404.yml has it; for
  RHEL 9 since V2R3
hasher        at least       since
sha512-crypt  rounds=100000  2025-01-30 [1]
"""
    document = policies_document((policy,), in_full=True)

    assert expected == render(document, "table", width=80)


def test_a_policy_without_floors_says_why() -> None:
    """In full a policy that names no number is shown as well, with what that means."""
    expected = """\
pci-dss-4: PCI DSS v4.0.1, 2024-06-11;
  https://www.pcisecuritystandards.org/document_library/; strong cryptography is
  used to render all authentication factors unreadable during transmission and
  storage on all system components; it names no algorithm and no number, so
  nothing is compared with it; name another policy beside it
"""
    document = policies_document((load_policy("pci-dss-4"),), in_full=True)

    assert expected == render(document, "table", width=80)


def test_device_listed() -> None:
    """A device has its memory, its rent and every speed with the place and the day it is from."""
    expected = """\
rx-7900-xtx: AMD Radeon RX 7900 XTX, 24.0 GiB
rent unknown
960 GB/s, Steve Thomas, Minimum Password Settings,
  tobtu.com/minimum-password-settings, 2022-12-29; the published speeds use 76 %
  (argon2id)
[1] hashcat 7.0.0 release notes, section 2.2
hasher    cost             guesses/s  by             published
argon2id  m=65536,t=3,p=1      1,367  hashcat 7.0.0  2025-08-01 [1]

h100-sxm: NVIDIA H100 SXM (one GPU of an AWS p5.48xlarge), 80.0 GiB
$2.69 an hour, RunPod Community Cloud, runpod.io/pricing as transcribed by
  datareceipts/data-receipts, 109-gpu-pricing/vendors.json, 2026-11-09
3,350 GB/s, Scaleway, migration-h100.mdx of scaleway/docs-content, as in pull
  request 5834, 2025-11-18
[1] javydekoning/aws-hashcat p5.48xlarge.v6.2.6.cuda.txt at 243dd5e: one eighth
  of the total of eight GPUs (6798.6 kH/s)
[2] javydekoning/aws-hashcat p5.48xlarge.v6.2.6.cuda.txt at 243dd5e: one eighth
  of the total of eight GPUs (2890.2 kH/s)
hasher        cost         guesses/s  by             published
sha512-crypt  rounds=5000    849,825  hashcat 6.2.6  2023-09-18 [1]
bcrypt        cost=5         361,275  hashcat 6.2.6  2023-09-18 [2]
"""
    document = gpus_document((load_device("rx-7900-xtx"), load_device("h100-sxm")))

    assert expected == render(document, "table", width=80)


def test_records_of_policies_and_devices() -> None:
    """Each floor and each speed is a record that says where it is from."""
    policies = policies_document(
        (load_policy("owasp"), load_policy("distro-defaults")), in_full=False
    )
    devices = gpus_document((load_device("rtx-4090"), load_device("rx-7900-xtx")))

    assert 14 + 5 == len(policies.records)
    assert 8 + 12 + 1 == len(devices.records)
    for document in (policies, devices):
        for record in document.records:
            assert set(document.fields) == record.keys()
            assert record["source"]
            assert record["date"]
    assert {True, False} == {record["informative"] for record in policies.records}
    assert {0.34, None} == {record["dollars_per_hour"] for record in devices.records}
