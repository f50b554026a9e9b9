"""The published JSON schemas describe what the commands really print."""

import json
from pathlib import Path
from typing import Any, Final

import pytest
from jsonschema import Draft202012Validator

from corpora import cases
from end_to_end.command import calibrate

DOCS: Final = Path(__file__).parents[2] / "docs"
EXAMPLES: Final = DOCS / "examples"
SCHEMAS: Final = DOCS / "schemas"
PRINTED: Final = cases(__file__, "schemas.toml", "printed")
"""What prints each value, but for samples, which Ansible writes, and fleets, of which
their own tests hold each against the schema."""


def schema(name: str) -> dict[str, Any]:
    """A schema as it is published."""
    found: dict[str, Any] = json.loads((SCHEMAS / f"{name}.schema.json").read_text("utf-8"))
    return found


def mistakes(name: str, text: str) -> list[str]:
    """What a schema finds wrong with a value."""
    validator = Draft202012Validator(schema(name))
    return [error.message for error in validator.iter_errors(json.loads(text))]


def test_every_schema_is_tried() -> None:
    """No schema is published that no value is held against."""
    published = {path.name.removesuffix(".schema.json") for path in SCHEMAS.iterdir()}

    assert published == {*PRINTED, "fleet", "samples"}
    for name in published:
        Draft202012Validator.check_schema(schema(name))


@pytest.mark.parametrize("name", PRINTED)
def test_what_is_printed_is_what_the_schema_says(name: str) -> None:
    """A command's JSON is valid by its schema."""
    ended = calibrate(*PRINTED[name].split(), "--format", "json", cwd=EXAMPLES)

    assert ended.out, ended.err
    assert [] == mistakes(name, ended.out)


def test_what_is_saved_is_what_the_schema_says() -> None:
    """A saved profile is valid; the rows of a sweep are none."""
    profile = (EXAMPLES / "web1.json").read_text("utf-8")

    assert [] == mistakes("profile", profile)
    assert mistakes("sweep", profile)
