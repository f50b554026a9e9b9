"""Configurations of Python applications as they are found, and which line of them wins."""

from __future__ import annotations

import tomllib
from pathlib import Path
from textwrap import dedent
from typing import Any, Final

import pytest

from apps.test_readers import told
from corpora import cases
from hashcost.apps.interface import App, Found
from hashcost.apps.registry import load_app


def read(name: str, text: str) -> tuple[Found, ...]:
    """What an application's reader finds."""
    app = load_app(name)
    assert isinstance(app, App)
    return app.read(dedent(text))


SAMPLES: Final[list[dict[str, Any]]] = tomllib.loads(
    Path(__file__).with_name("python_samples.toml").read_text("utf-8")
)["sample"]


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda one: f"{one['app']}: {one['about']}")
def test_a_sample(sample: dict[str, Any]) -> None:
    """The line that wins is the one that the application uses, and what is said is why."""
    found = read(sample["app"], sample["text"])
    assert [told(cost) for cost in found if cost.wins] == sample["is"]
    assert [cost.line for cost in found if not cost.wins] == sample.get("lost", [])
    whys = " | ".join(cost.why for cost in found)
    assert all(word in whys for word in sample.get("words", ())), whys


def test_conditions_that_nobody_can_tell() -> None:
    """Where a condition decides, every value that may hold is found."""
    found = read(
        "flask-bcrypt",
        """\
        BCRYPT_LOG_ROUNDS = 12
        if os.cpu_count() > 4:
            BCRYPT_LOG_ROUNDS = 13
        """,
    )
    assert [(1, True), (3, True)] == [(each.line, each.wins) for each in found]


@pytest.mark.parametrize(
    ("condition", "tests"), cases(__file__, "python_samples_cases.toml", "conditions_of_tests")
)
def test_conditions_of_tests(condition: str, *, tests: bool) -> None:
    """What stands under a condition of tests is set apart, and its opposite is not."""
    text = f"BCRYPT_LOG_ROUNDS = 12\nif {condition}:\n    BCRYPT_LOG_ROUNDS = 4\n"
    found = read("flask-bcrypt", text)
    assert [1 if tests else 3] == [cost.line for cost in found if cost.wins]
