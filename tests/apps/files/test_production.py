"""Which branches of code production runs."""

from __future__ import annotations

import pytest

from hashcost.apps.files.production import in_production, production


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("Rails.env.test?", False),
        ("Rails.env.production?", True),
        ("!Rails.env.test?", True),
        ("config_env() == :prod", True),
        ("Mix.env() in [:dev, :test]", False),
        ("process.env.NODE_ENV !== 'production'", False),
        ("builder.Environment.IsDevelopment()", False),
        ('env.IsEnvironment("Production")', True),
        ("Rails.env.development? || Rails.env.test?", False),
        ("Rails.env.production? && fast", None),
        ("defined('WP_TESTS_DOMAIN')", False),
        ("fast", None),
    ],
)
def test_a_condition_of_the_environment(condition: str, *, expected: bool | None) -> None:
    """What only tests or developers meet does not hold; what does not tell is not known."""
    assert in_production(condition) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("unless Rails.env.test?\n  a\nelse\n  b\nend\n", ["a"]),
        ("if Mix.env() == :test do\n  a\nelse\n  b\nend\n", ["b"]),
        ("x do\n  a if Rails.env.test?\nend\nb\n", ["b"]),
        ("if (env.IsDevelopment())\n{\n  a\n}\nelse\n{\n  b\n}\n", ["b"]),
        ("if (fast) {\n  a\n} else {\n  b\n}\n", ["a", "b"]),
        ('@Profile("local")\nX y() {\n  a\n}\n@Profile("!local")\nX z() {\n  b\n}\n', ["b"]),
        ('@Profile({"dev", "test"})\nX y() {\n  a\n}\n', []),
    ],
)
def test_only_what_production_runs_is_left(text: str, expected: list[str]) -> None:
    """The branch of tests is left out, and lines keep their numbers."""
    left = production(text)
    assert left.count("\n") == text.count("\n")
    assert [each.strip() for each in left.splitlines() if each.strip() in {"a", "b"}] == expected
