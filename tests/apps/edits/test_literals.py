"""Numbers in any text: which may be a cost, and how another is written in their place."""

from __future__ import annotations

import pytest

from hashcost.apps.edits.literals import Edit, edits_to, numbers_on, variable_before

BCRYPT = "$2b$12$C6UzMDM.H6dfI/f/IKcEeO7ZQqV2lVfX1Y6n1fY4m3eJ5a5bqSg1K"


def _first(text: str, old: int, new: int, line: int = 1) -> str:
    return next(edit.within(text) for edit in edits_to(text, old, new, line))


@pytest.mark.parametrize(
    ("text", "old", "new", "after"),
    [
        ("cost: 12", 12, 13, "cost: 13"),
        ("ROUNDS = 310_000", 310000, 1200000, "ROUNDS = 1_200_000"),
        ("m_cost: 16", 65536, 131072, "m_cost: 17"),
        ("memory: 64MB", 65536, 131072, "memory: 128MB"),
        ("cost = 2 ** 14", 16384, 32768, "cost = 2 ** 15"),
        ("bcrypt6", 6, 9, "bcrypt9"),
        ("scrypt:32768:8:1", 32768, 65536, "scrypt:65536:8:1"),
        ("'rounds' => '10'", 10, 12, "'rounds' => '12'"),
    ],
)
def test_a_number_is_written_as_the_one_before_it_was(
    text: str, old: int, new: int, after: str
) -> None:
    """Its unit, underscores and quotes stay."""
    assert after == _first(text, old, new)


@pytest.mark.parametrize("text", ["112", "12.5", "1.12", "cost: 13", "0x12f", ""])
def test_part_of_another_number_is_none(text: str) -> None:
    """Digits of a longer number are no number."""
    assert not [edit for edit in edits_to(text, 12, 13, 1) if text[edit.start : edit.end] == "12"][
        text == "0x12f" :
    ]


def test_the_nearest_comes_first() -> None:
    """Of equal numbers the one nearest to the cost's line is tried first."""
    text = "a = 12\nb = 12\nc = 12\n"
    assert [edit.start for edit in edits_to(text, 12, 13, 3)] == [18, 11, 4]


@pytest.mark.parametrize(
    "text",
    [
        f"admin {BCRYPT}",
        f'  admin: "{BCRYPT}"',
        f"HASH={BCRYPT}",
        "HASH=" + BCRYPT.replace("$", "$$"),
        f"{{{BCRYPT}}}",
    ],
)
def test_a_stored_hash_is_never_edited(text: str) -> None:
    """Another number in a hash makes it another hash, which no password has."""
    if text.startswith("{"):
        text = text.strip("{}")
    assert not list(edits_to(text, 12, 13, 1))
    assert not list(numbers_on(text, 1, 13))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("'rounds' => env('BCRYPT_ROUNDS', 12)", "BCRYPT_ROUNDS"),
        ('rounds = int(os.environ.get("ROUNDS", "12"))', "ROUNDS"),
        ('log_rounds: String.to_integer(System.get_env("ROUNDS") || "12")', "ROUNDS"),
        ("const rounds = Number(process.env.ROUNDS ?? 12)", "ROUNDS"),
        ('cost = ENV.fetch("COST", 12)', "COST"),
        ("rounds: ${ROUNDS:-12}", "ROUNDS"),
        ('@Value("${security.strength:12}")', "security.strength"),
        ('rounds = os.getenv(\n    "ROUNDS",\n    12,\n)', "ROUNDS"),
        ("rounds = os.getenv(ROUNDS, 12)", "the variable"),
    ],
)
def test_what_the_environment_overrides_is_told(text: str, name: str) -> None:
    """A fallback is no place for a cost: the environment has it, or may have."""
    (edit,) = edits_to(text, 12, 13, 1)
    assert name == variable_before(text, edit)


@pytest.mark.parametrize(
    "text",
    [
        "rounds = 12",
        "const cost = process.env.NODE_ENV === 'production' ? 12 : 4",
        'env("A", 1); cost = 12',
        'url = os.environ["URL"]\nrounds = 12',
    ],
)
def test_what_stands_beside_the_environment_is_a_literal(text: str) -> None:
    """A lookup that has ended asks for something else."""
    assert variable_before(text, next(edits_to(text, 12, 13, 1))) is None


def test_an_edit_leaves_the_rest() -> None:
    """Only the characters of the edit are replaced."""
    assert Edit(1, 3, "xyz").within("abcd") == "axyzd"
