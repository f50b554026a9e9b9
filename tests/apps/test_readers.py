"""What each application makes of a file, and what its reader refuses."""

import sys
from typing import Any, Final

import pytest
from msgspec.structs import replace

from bounded import ends_in_time, within_memory
from corpora import cases, table
from hashcost.apps.found import Found
from hashcost.apps.registry import load_tunable
from hashcost.apps.text import unique
from hashcost.core.errors import UnavailableError, UnreadableInputError

READINGS: Final[list[dict[str, Any]]] = [
    each for table in ("line", "reading") for each in cases(__file__, "readings.toml", table)
]


def told(found: Found) -> str:
    """A cost with its line, behind a dash if it does not count."""
    cost = " ".join([found.hasher, *(f"{name}={value}" for name, value in found.params.items())])
    if found.flaw is not None:
        cost = found.flaw.value
    return f"{'' if found.wins else '- '}{cost} @{found.line}"


@pytest.mark.parametrize(
    "reading", READINGS, ids=[f"{each['app']}-{index}" for index, each in enumerate(READINGS)]
)
def test_a_file_is_read_as_the_program_reads_it(reading: dict[str, Any]) -> None:
    """Each cost is found on its line, and the one that the program uses counts."""
    app = replace(load_tunable(reading["app"]), release=reading.get("release"))
    found = app.read(reading["text"])
    assert list(map(told, found)) == reading["is"]


@pytest.mark.parametrize("case", cases(__file__, "said.toml", "reasons"))
def test_what_was_to_be_decided_is_said(case: dict[str, str]) -> None:
    """A reader says why a cost counts, or why it is another than what is written."""
    found = load_tunable(case["app"]).read(case["text"] + "\n")
    assert any(case["says"] in cost.why for cost in found)


@pytest.mark.parametrize("case", cases(__file__, "said.toml", "refused"))
def test_what_cannot_be_a_cost_is_said_in_a_line(case: dict[str, str]) -> None:
    """A value that is no cost, or that only running the file tells, is told with its place."""
    try:
        found = load_tunable(case["app"]).read(case["text"])
    except UnreadableInputError as error:
        said = [str(error)]
    else:
        said = [f"line {cost.line}: {cost.why}" for cost in found if cost.is_undetermined]
        # What counts beside it would pass for the whole answer.
        assert not [cost for cost in found if cost.wins and not cost.is_undetermined]
    assert any(case["says"] in text for text in said)
    assert not any("\n" in text for text in said)


@table("module, app, text")
def test_without_a_library_the_cure_is_named(
    module: str, app: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without ruamel.yaml or Jinja, the message has the command that installs it."""
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(UnavailableError, match=rf"pip install .*{module.replace('.', '-')}>="):
        load_tunable(app).read(text)


@pytest.mark.parametrize("sample", cases(__file__, "python_samples.toml", "sample"))
def test_a_sample(sample: dict[str, Any]) -> None:
    """The line that wins is the one that the application uses, and what is said is why."""
    found = load_tunable(sample["app"]).read(sample["text"])
    assert [told(cost) for cost in found if cost.wins] == sample["is"]
    assert [cost.line for cost in found if not cost.wins] == sample.get("lost", [])
    whys = " | ".join(cost.why for cost in found)
    assert all(word in whys for word in sample.get("words", ())), whys


@pytest.mark.parametrize(
    "text",
    [
        "a." * 10_000 + "z {" + "b=1 " * 10_000 + "}",
        "a." * 10_000 + "z=1 " * 2,
        "[" * 250_000,
        "a {" * 250_000,
    ],
    ids=["key", "value", "lists", "objects"],
)
def test_a_file_of_emqx_takes_memory_by_its_length(text: str) -> None:
    """However deep the keys nest, no value keeps a path of any length."""
    with (
        within_memory(500 * len(text) + (4 << 20)),
        pytest.raises(UnreadableInputError, match=r"^line 1: nested more than 64 levels deep$"),
    ):
        load_tunable("emqx").read(text)


def test_a_line_with_many_costs_is_searched_once() -> None:
    """Each cost of a long line took a search of all of it, which was a minute for these."""
    ends_in_time(
        "from hashcost.apps.registry import load_tunable\n"
        "text = 'authentication = [' + '${a.b},' * 50_000 + ']'\n"
        "assert 50_000 == len(load_tunable('emqx').read(text))",
        cpu_seconds=20,
    )


@pytest.mark.parametrize("first_wins", [True, False])
def test_of_one_cost_on_one_line_the_used_one_is_kept(*, first_wins: bool) -> None:
    """One call that production makes is enough."""
    used = Found(hasher="bcrypt", params={"cost": 5}, line=3)
    apart = used.unless("only for tests")
    costs = [used, apart] if first_wins else [apart, used]
    assert [used] == list(unique(costs))


@table("condition, tests")
def test_conditions_of_tests(condition: str, *, tests: bool) -> None:
    """What stands under a condition of tests is set apart, and its opposite is not."""
    text = f"BCRYPT_LOG_ROUNDS = 12\nif {condition}:\n    BCRYPT_LOG_ROUNDS = 4\n"
    found = load_tunable("flask-bcrypt").read(text)
    assert [1 if tests else 3] == [cost.line for cost in found if cost.wins]
