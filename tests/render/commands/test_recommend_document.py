"""What `calibrate` shows of a profile: the answer, what --explain adds, records and notes."""

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from fakes import slowed
from hashcost.core.algorithms import Strength
from hashcost.core.machine import Notice
from hashcost.core.measurement import Params
from hashcost.core.profile import MEMORY_BOUND, Profile, Recommendation
from hashcost.recommend.huge_pages import Gain
from hashcost.recommend.recommendation import solve_again
from hashcost.render import render
from hashcost.render.commands import recommend
from hashcost.render.commands.advice import dearest_first
from hashcost.render.commands.recommend import device_notes, recommendation_document, shared_note
from hashcost.render.document import Document
from hashcost.storage.profile import load_profile
from hashcost.strength.appraisal import appraise
from hashcost.strength.attackers.device import load_device, prices
from hashcost.strength.policies.catalogue import load_policy, policy_names
from hashcost.strength.policies.policy import Policy
from measured import EVERY, HARD
from snapshots import Snapshot

GPU: Final = ("rtx-4090",)
OTHERS: Final = tuple(map(load_policy, policy_names()))
EIGHT: Final = load_profile(Path(__file__).parents[3] / "docs" / "examples" / "first.json")
"""Eight hashers of one implementation each, whose table the README shows."""


def only(*labels: str) -> Profile:
    """The profile with the rows of these hashers."""
    rows = tuple(row for row in EIGHT.recommendations if row.hasher in labels)
    return replace(EIGHT, results=rows)


def answer(
    profile: Profile, policies: Sequence[str] = ("owasp",), gpus: Sequence[str] = GPU
) -> Document:
    """The answer beside these policies and devices."""
    asked = tuple(map(load_policy, policies))
    devices = tuple(map(load_device, gpus))
    return recommendation_document(
        appraise(profile, asked, devices),
        policies=asked,
        devices=devices,
        others=OTHERS,
        explained=False,
    )


def test_fits_a_terminal() -> None:
    """Eight hashers take at most 24 lines of 80 columns, and the last line says what to use."""
    lines = render(answer(EIGHT), "table", width=80).splitlines()

    assert max(map(len, lines)) <= 80
    assert len(lines) <= 24
    answered = " ".join(map(str.strip, lines[-2:]))
    assert re.fullmatch(
        r"Use argon2id m=\d+,t=\d+,p=1: it meets owasp and has the longest known crack time"
        r" \(a first run: ±[\d.]+%\)\.",
        answered,
    )


def test_a_run_unlike_earlier_ones_says_so_beside_its_error() -> None:
    """There the ± is wider than that of the other rows."""
    changed = (Notice(code="changed", message="it has changed"),)
    rows = tuple(replace(row, warnings=changed) for row in only("argon2id").recommendations)
    shown = render(answer(replace(EIGHT, results=rows)), "table", width=99)
    assert "it meets owasp (unlike earlier runs: ±" in shown


def test_a_row_without_a_measurement_is_judged() -> None:
    """It meets a minimum or not, and no target is named that would meet it."""
    bare = replace(only("bcrypt"), measurements=())

    assert "from" not in " ".join(answer(bare).tables[0].rows[0])
    assert "from" in " ".join(answer(only("bcrypt")).tables[0].rows[0])


def test_advice(snapshot: Snapshot) -> None:
    """It names what meets the policies and costs an attacker most, or what would meet them."""
    three = ("owasp", "fips", "anssi-bp28")
    cases = (
        (("bcrypt",), (), GPU),
        (("bcrypt", "argon2id"), (), ()),
        (("bcrypt", "argon2id"), (), GPU),
        (("argon2id",), ("owasp",), ()),
        (("bcrypt", "pbkdf2-sha256"), ("owasp",), GPU),
        (("bcrypt",), ("owasp",), GPU),
        (("yescrypt",), ("owasp",), GPU),
        (("bcrypt", "pbkdf2-sha256"), three, GPU),
    )
    snapshot(
        "".join(
            f"{', '.join(hashers)} by {', '.join((*policies, *gpus)) or 'nothing'}:"
            f" {' '.join(answer(only(*hashers), policies, gpus).answer)}\n"
            for hashers, policies, gpus in cases
        )
    )


def test_the_nearest_way_to_meet_a_policy_is_named() -> None:
    """Of several hashers that miss a minimum, the last line names the lowest target that meets
    it, in whatever order they were measured.
    """
    profile = only("pbkdf2-sha256", "pbkdf2-sha512", "bcrypt")
    for results in (profile.results, profile.results[::-1]):
        (told,) = answer(replace(profile, results=results), ["asvs-5.0"], gpus=()).answer
        assert told.startswith("None of these meets asvs-5.0; use bcrypt with --target ")


def test_a_hasher_that_the_target_is_too_short_for_is_named_too() -> None:
    """What meets a minimum the soonest need not have a setting that fits the target."""
    profile = solve_again(only("argon2id", "bcrypt"), 0.001)
    assert ["argon2id"] == [failure.hasher for failure in profile.failures]
    (told,) = answer(profile, ["owasp"], gpus=()).answer
    assert told.startswith("bcrypt cost=4 does not meet owasp; use argon2id with --target ")


def test_costs_in_memory(snapshot: Snapshot) -> None:
    """Each cost is whole, and the step across the target shows only what changes."""
    snapshot(render(recommendation_document(HARD), "table", width=160))


def test_what_takes_the_same_time_is_listed(snapshot: Snapshot) -> None:
    """One memory-hard hasher is explained with its other settings, and which of them to use."""
    row = next(row for row in HARD.recommendations if row.threads == 1)
    snapshot(render(recommendation_document(HARD.only(row), explained=True), "table"))


COMPARED: Final = replace(EVERY, results=EVERY.recommendations)
"""Two implementations of two hashers."""
ONE_EACH: Final = replace(
    EVERY, results=tuple(EVERY.recommendations[index] for index in (0, 1, 3, 4))
)
OWASP: Final = load_policy("owasp")


def appraised(
    profile: Profile, policies: Sequence[Policy] = (), gpu: str = "rtx-4090"
) -> Document:
    """The profile beside these policies and this device."""
    devices = () if gpu == "none" else (load_device(gpu),)
    worth = appraise(profile, policies, devices)
    return recommendation_document(worth, policies=policies, devices=devices)


def worth_table(document: Document, width: int = 80) -> str:
    """What stands between the head and the answer: both tables and the notes."""
    explained = replace(document, answer=(), head=())
    return render(explained, "table", width=width)


def test_several_implementations(snapshot: Snapshot) -> None:
    """Several implementations of one hasher are told apart in the table and in the sentence."""
    snapshot(worth_table(appraised(COMPARED, (OWASP,))))


def test_untimed_memory(snapshot: Snapshot) -> None:
    """A minimum whose memory was not timed has no time, and no promise that it could be met;
    without a known rent nothing has a price.
    """
    snapshot(worth_table(appraised(HARD, (load_policy("rfc9106-first"),), "rtx-6000-ada")))


def at(params: Params, label: str = "bcrypt@bcrypt", profile: Profile = EVERY) -> Profile:
    """One row, at another cost."""
    (row,) = [row for row in profile.recommendations if row.label == label]
    return replace(profile, results=(replace(row, params=params),))


def test_price_cells(snapshot: Snapshot) -> None:
    """Guesses say what they rest on; a dash stands for a rent or a speed that is not known."""
    cases = [(cost, "rtx-4090") for cost in (4, 5, 12, 31)]
    cases += [(12, "rtx-6000-ada"), (12, "rx-7900-xtx")]
    rows = [
        (f"cost={cost}", gpu, *appraised(at({"cost": cost}), (), gpu).tables[1].rows[0][-3:])
        for cost, gpu in cases
    ]
    snapshot("".join(f"{' | '.join(row)}\n" for row in rows))


def test_notes(snapshot: Snapshot) -> None:
    """A note names other policies, or what a speed rests on."""
    gpu = load_device("rtx-4090")
    guesses = prices([gpu], "scrypt", {"n": 16384, "r": 8, "p": 1})
    bandwidth = replace(EVERY.recommendations[0], hasher="scrypt", attacker=guesses)
    cases = {
        "a policy that does not list it": answer(only("sha512-crypt")).notes,
        "a bandwidth in place of a speed": (*device_notes(gpu, (bandwidth,)),),
    }
    snapshot("".join(f"# {name}\n{chr(10).join(notes)}\n" for name, notes in cases.items()))


@given(st.permutations((*ONE_EACH.recommendations, *HARD.recommendations)))
def test_the_dearest_to_attack_stands_first(rows: list[Recommendation]) -> None:
    """In whatever order rows were measured, they stand by price, and those without one last."""
    profile = replace(ONE_EACH, results=tuple(rows))
    worth = appraise(profile, (), (load_device("rtx-4090"),))
    speeds = [
        next((price.guesses_per_second for price in row.attacker), math.inf)
        for row in dearest_first(worth.recommendations)
    ]

    assert sorted(speeds) == speeds


@pytest.mark.parametrize("profile", [EVERY, HARD], ids=["linear", "memory"])
def test_csv(profile: Profile, snapshot: Snapshot) -> None:
    """A record has every param, both times, policies by verdict and the price, or the error."""
    document = appraised(profile, (OWASP, load_policy("fips")))
    snapshot(render(document, "csv"))


ONE, ANOTHER = (replace(row, interval_seconds=(0.036, 0.044)) for row in EVERY.recommendations[:2])


def shared(row: Recommendation, factor: float) -> Recommendation:
    """A row whose hash took so many times as long in the middle of the run."""
    return replace(row, time_seconds=0.04, shared_seconds=0.04 * factor)


def test_a_shared_core_is_told(snapshot: Snapshot) -> None:
    """One sentence says how long a hash takes beside neighbours, unless that is hardly longer."""
    passlib = replace(ONE, implementation="passlib")
    cases = {
        "not seen": (ONE,),
        "hardly slower": (shared(ONE, 1.05),),
        "one": (shared(ONE, 1.5),) * 3,
        "several": (shared(ONE, 1.5), shared(ANOTHER, 1.6)),
        "implementations": (shared(ONE, 1.5), shared(passlib, 1.5)),
    }
    snapshot("".join(f"{name}: {' '.join(shared_note(rows))}\n" for name, rows in cases.items()))

    document = recommendation_document(replace(EVERY, results=cases["one"]))
    assert {*shared_note(cases["one"])} <= {*document.notes}


def said(profile: Profile, *, explained: bool = False) -> str:
    """The table as it is printed, on one line."""
    document = recommendation_document(
        profile, devices=(load_device("rtx-4090"),), explained=explained
    )
    return " ".join(render(document, "table", width=80).split())


def test_a_gain_is_said_with_both_numbers_and_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """In one note before the answer; without a device nothing is said of crack times."""
    profile = appraise(HARD, (), (load_device("rtx-4090"),))
    row = profile.recommendations[0]
    params = {**row.params, "memory_kib": 65536}
    before, after = (Strength(gpu=gpu, hardware=gpu**2) for gpu in (1.0, 1.5))
    gain = Gain(row=row, params=params, before=before, after=after)
    monkeypatch.setattr(recommend, "best_gain", lambda *_: gain)
    text = said(profile)

    assert "argon2id m=65536,t=2,p=1 fits with huge pages: 1.5 times the price for a GPU," in text
    assert "2.2 for hardware" in text
    assert "to crack: `calibrate argon2id --huge-pages --target" in text
    assert text.index("huge pages") < text.rindex("Use ")
    (note,) = [note for note in recommendation_document(HARD).notes if "huge pages" in note]
    assert "2.2 for hardware: `calibrate argon2id --huge-pages" in note


def test_each_share_of_page_faults_is_explained() -> None:
    """Only there: it is part of the time."""
    first, *others = HARD.recommendations
    half = replace(first, page_fault_seconds=first.time_seconds / 2)
    profile = replace(HARD, results=(half, *others))

    assert "page faults: 50 % of argon2id" in said(profile, explained=True)
    assert "page faults" not in said(replace(HARD, results=(half,)))
    none = replace(first, page_fault_seconds=0.004 * first.time_seconds)
    assert "page faults" not in said(replace(HARD, results=(none,)), explained=True)


def test_a_policy_without_a_minimum_is_named_last() -> None:
    """It is not taken as met, and does not keep a cost from being named that meets another."""
    rows = only("bcrypt", "argon2id")
    (alone,) = answer(rows, ["pci-dss-4"]).answer
    (beside,) = answer(rows, ["pci-dss-4", "owasp"]).answer

    assert alone.endswith("pci-dss-4 has no minimum for argon2id and bcrypt.")
    assert beside.startswith("Use argon2id")
    assert beside.endswith("pci-dss-4 has no minimum for argon2id and bcrypt.")
    assert "no minimum" not in " ".join(answer(rows).answer)


def test_a_hasher_that_is_not_approved_has_others_to_measure() -> None:
    """The last line names those that the policies approve, or says that there are none."""
    (refused,) = answer(only("bcrypt"), ["fips"]).answer
    (disagreeing,) = answer(only("bcrypt"), ["fips", "disa-stig"]).answer

    names = "pbkdf2-sha256 pbkdf2-sha512"
    assert refused.endswith(
        f"use {names.replace(' ', ' or ')}: `calibrate {names} --policy fips`."
    )
    assert disagreeing.endswith("; no hasher is listed by all of these policies.")


def test_a_policy_that_asks_for_nothing_leaves_the_judgement_to_others() -> None:
    """A cost above a usual one is not passed as strong."""
    document = answer(only("bcrypt"), ["distro-defaults"])
    assert any(re.search("^bcrypt (meets|misses) .*owasp", note) for note in document.notes)
    assert document.answer[0].endswith(
        "distro-defaults only describes what is usual; name another --policy."
    )


def test_memory_that_limits_is_said_once() -> None:
    """The last line says so of the setting that it names, and a note of any other hasher."""
    bound = Notice(code=MEMORY_BOUND, message="memory is limited to 4 MiB", advice="`more`")
    rows = tuple(
        replace(row, warnings=(bound,) if row.hasher in {"argon2id", "yescrypt"} else ())
        for row in EIGHT.recommendations
    )
    document = answer(replace(EIGHT, results=rows))

    assert document.answer[0].endswith("; memory is limited to 4 MiB: `more`.")
    assert "yescrypt: memory is limited to 4 MiB: `more`." in document.notes
    assert not any(note.startswith("argon2id: memory") for note in document.notes)


def test_several_libraries_get_the_setting_that_holds_in_all() -> None:
    """The last line names what the slowest library of a hasher takes within the target."""
    measured = next(one for one in EIGHT.measurements if one.hasher == "bcrypt")
    quick, slow = (
        replace(slowed(measured, factor), implementation=name)
        for factor, name in ((1.0, "quick"), (2.5, "slow"))
    )
    (row,) = only("bcrypt").recommendations
    unsolved = [replace(row, implementation=name) for name in ("quick", "slow")]
    profile = replace(EIGHT, measurements=(quick, slow), results=tuple(unsolved))
    solved = solve_again(profile, 0.25, ())
    costs = [one.params["cost"] for one in solved.recommendations]
    text = answer(solved, ()).answer[0]

    assert len({*costs}) == 2
    assert f"Use bcrypt cost={min(costs)} in both libraries: it takes " in text


def test_what_failed_everywhere_was_not_measured() -> None:
    """The first line names no time of measuring where no hasher was timed."""
    assert "not measured on" in said(replace(EVERY, measurements=(), results=()))


def test_hashers_that_are_allowed_or_not_listed_still_have_one_to_use() -> None:
    """Of one for existing systems and one that no minimum holds, neither is recommended."""
    (told,) = answer(only("bcrypt", "yescrypt")).answer
    assert told.startswith("owasp lists none of these for new systems; use argon2id, ")
