"""The explanation as whole literals, in every format."""

import csv
import io
import json
import re
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora import table
from end_to_end.command import MADE_UP, calibrate
from hashcost.checks.explanation import Explanation, explain
from hashcost.checks.judgement import NO_HIGHER_COST
from hashcost.core.machine import Tool
from hashcost.core.measurement import Params
from hashcost.render import render
from hashcost.render.commands.explain import explanation_document
from hashcost.render.wording import often
from hashcost.stored.formats.reading import HashReading, Kind
from hashcost.stored.formats.registry import read
from hashcost.strength.attackers.device import load_device
from hashcost.strength.policies.catalogue import load_policy, policy_names
from measured import EVERY
from snapshots import Snapshot
from stored.formats.samples import SAMPLES, Sample

GPU: Final = load_device("rtx-4090")
OWASP: Final = load_policy("owasp")


def cost(hasher: str, params: Params, **more: Any) -> HashReading:
    """What a password hash says."""
    return HashReading(kind=Kind.HASHED, format="crypt", hasher=hasher, params=params, **more)


def explained(reading: HashReading) -> Explanation:
    """The explanation of a hash, with OWASP's minimum, one device and the made-up machine."""
    return explain(
        reading,
        tool=Tool(name="hashcost", version="0.1.0"),
        policies=(OWASP,),
        devices=(GPU,),
        profile=EVERY,
        format_name=reading.format,
    )


def shown(found: Explanation, form: str = "table", width: int = 80) -> str:
    """The explanation in a format."""
    return render(explanation_document(found, (GPU,)), form, width=width)


def test_a_hash_with_everything_to_be_said(snapshot: Snapshot) -> None:
    """Blocks, notes, a client that computes and a minimum that is far away."""
    details = {"blocks": 2, "client_side": True, "notes": ("extra-blocks", "old-version")}
    snapshot(shown(explained(cost("pbkdf2-sha256", {"iterations": 10_000}, **details))))


@pytest.mark.parametrize(("params", "is_long"), [({"cost": 12}, False), ({"cost": 20}, True)])
def test_a_cost_far_above_the_target_is_not_only_said_to_be_enough(
    params: Params, is_long: bool
) -> None:
    """The last line says the time of a hash where that is far above the usual target."""
    (answer,) = explanation_document(explained(cost("bcrypt", params)), (GPU,)).answer
    assert "meets the minimum" in answer
    assert ("to verify" in answer) == is_long


def test_the_hasher_to_move_to_is_approved() -> None:
    """It is one that the policies approve for new systems, the quickest if that was timed."""
    reading = cost("argon2id", {"memory_kib": 19456, "time_cost": 2, "parallelism": 1})
    for names, timed, untimed in (
        (["fips"], "pbkdf2-sha256", "pbkdf2-sha256 or pbkdf2-sha512"),
        (["fips", "owasp"], "pbkdf2-sha256", "pbkdf2-sha256 or pbkdf2-sha512"),
        (["disa-stig"], "sha512-crypt", "sha512-crypt"),
    ):
        for profile, hasher in ((EVERY, timed), (None, untimed)):
            found = explain(
                reading,
                tool=Tool(name="hashcost", version="0.1.0"),
                policies=tuple(map(load_policy, names)),
                profile=profile,
                format_name=None,
            )
            answer = shown(found, width=300)
            assert "is not approved by" in answer
            assert f". Move to {hasher}, and rehash" in answer


def test_a_hasher_that_the_policy_does_not_list_has_one_to_move_to() -> None:
    """The last line does not end with what is not known."""
    for name, hasher in (("owasp", "argon2id"), ("fips", "pbkdf2-sha256")):
        reading = cost("argon2i", {"memory_kib": 65536, "time_cost": 3, "parallelism": 4})
        found = explain(
            reading,
            tool=Tool(name="hashcost", version="0.1.0"),
            policies=(load_policy(name),),
            format_name=None,
        )
        assert f"ove to {hasher}" in shown(found, width=200)


def test_a_digest(snapshot: Snapshot) -> None:
    """An MD5 has no cost, no time and no floor, but a price."""
    snapshot(shown(explained(read("0a" * 16))))


def test_the_memory_of_a_hash() -> None:
    """A cost that sets the memory is shown with its size; others have no line of it."""
    argon2 = HashReading(
        kind=Kind.HASHED,
        format="phc argon2",
        hasher="argon2id",
        params={"memory_kib": 2097152, "time_cost": 1, "parallelism": 4},
    )
    bcrypt = HashReading(kind=Kind.HASHED, format="bcrypt", hasher="bcrypt", params={"cost": 12})
    assert "\nmemory   2.00 GiB per hash\n" in shown(explained(argon2))
    assert "memory " not in shown(explained(bcrypt))


def test_every_kind_has_its_words(snapshot: Snapshot) -> None:
    """The first line says what it is."""
    texts = ("!", "hunter2", "{NEW}" + "a" * 40, "$2b$12$x", "$1$salt$" + "d" * 21 + "1")
    snapshot("".join(shown(explained(read(text))).partition("\n")[0] + "\n" for text in texts))


def test_an_unknown_format_ends_with_a_command_that_can_be_typed() -> None:
    """Whoever knows the hasher and its cost is told how to have them explained."""
    for name, hasher in (
        ("NEW", "pbkdf2-sha256"),
        ("PBKDF2", "pbkdf2-sha256"),
        ("PBKDF2-HMAC-SHA512", "pbkdf2-sha512"),
        ("new.Scrypt", "scrypt"),
    ):
        unknown = explained(read(f"{name}$1$210000$" + "c2FsdHNhbHRzYWx0c2E=$" + "a" * 43 + "="))
        (answer,) = explanation_document(unknown, (GPU,)).answer
        _, typed, *_ = answer.split("`")
        ended = calibrate(*typed.split()[1:], "--profile", str(MADE_UP), "--format", "json")
        assert Kind.UNRECOGNISED is unknown.kind
        assert (0, hasher) == (ended.code, json.loads(ended.out)["hasher"])


def test_a_hash_without_its_cost_or_algorithm_ends_with_a_command() -> None:
    """Whoever finds them in the configuration can have them judged."""
    for unsaid, example in (
        (cost("pbkdf2-sha512", {}), "pbkdf2-sha512=600000"),
        (HashReading(kind=Kind.HASHED, format="any", params={"iterations": 7}), "pbkdf2-sha256=7"),
    ):
        answer = shown(explained(unsaid), width=200)
        assert "is not in the hash but in the configuration" in answer
        assert f"`calibrate explain {example}`" in answer
        assert "is held to" not in answer


@table("policies, hasher, params, answer")
def test_the_answer_names_every_policy(
    policies: list[str], hasher: str, params: Params, answer: str
) -> None:
    """The worst verdict comes first; no policy is passed over, and none is said to ask for more
    than it does.
    """
    asked = tuple(map(load_policy, policies))
    found = explain(
        cost(hasher, params),
        tool=Tool(name="hashcost", version="0.1.0"),
        policies=asked,
        format_name=None,
    )
    document = explanation_document(found, (), asked, tuple(map(load_policy, policy_names())))
    assert (answer,) == document.answer
    assert [policy.caution for policy in asked if policy.caution] == [
        line[1].partition(": ")[2] for line in document.tables[0].rows if line[0] == "note"
    ]


@given(sample=st.sampled_from(SAMPLES), width=st.integers(40, 200))
def test_every_format_has_every_line(sample: Sample, width: int) -> None:
    """Whatever the hash, the records have the lines of the table."""
    found = explained(sample.reading)
    names = [row["name"] for row in csv.DictReader(io.StringIO(shown(found, "csv")))]
    table, _, verdict = shown(found, width=width).partition("\n\n")
    assert names == [line.split()[0] for line in table.splitlines() if line[0] != " "]
    assert "kind" == names[0]
    assert verdict.endswith(".\n")


@pytest.mark.parametrize(
    "sample",
    [sample for sample in SAMPLES if "fixed-cost" in sample.reading.notes],
    ids=lambda sample: sample.reading.format,
)
def test_a_cost_that_cannot_be_raised_is_not_to_be_raised(sample: Sample) -> None:
    """The verdict on a format with one cost advises something that can be done."""
    verdict = shown(explained(sample.reading), width=200).rpartition("\n\n")[2]
    assert "Raise the cost" not in verdict
    assert NO_HIGHER_COST in verdict or re.search(
        "is outdated. (?:Move to|Set the password again)", verdict
    )


@table("rate, words")
def test_how_often(rate: float, words: str) -> None:
    """A rate below once a second is a time between two guesses, not zero."""
    assert words == often(rate)
