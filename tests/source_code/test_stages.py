"""Which names speak of tests, which of production, and which of neither."""

from __future__ import annotations

import pytest

from hashcost.source_code.stages import Stage, stage_named


@pytest.mark.parametrize(
    ("name", "stage"),
    [
        *((name, Stage.TESTS) for name in ("test", "is_test", "TESTING", "runTests", "CI")),
        *((name, Stage.TESTS) for name in ("isTest", "UnitTests", "pytest", "DEBUG")),
        *((name, Stage.TESTS) for name in ("TestConfig", "DevConfig", "test?")),
        *((name, Stage.PRODUCTION) for name in ("production", "isProd", "ProductionConfig")),
        *((name, Stage.PRODUCTION) for name in ("PROD", "isProd")),
        *((name, Stage.UNKNOWN) for name in ("latest", "contest", "attest", "fastest", "")),
        *((name, Stage.UNKNOWN) for name in ("ProductConfig", "DeviceConfig", "CitrixConfig")),
        *((name, Stage.UNKNOWN) for name in ("special", "city", "live", "locale")),
        *((name, Stage.UNKNOWN) for name in ("non_production", "not_testing", "test_or_prod")),
    ],
)
def test_words_of_a_name_count_whole(name: str, stage: Stage) -> None:
    """A name speaks of a stage by a word of its own, never by a part of one."""
    assert stage is stage_named(name)
