"""What once failed stays mended, and broken inputs are looked for on every run."""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

import msgspec
import pytest

from tools.fuzz.hunt import content_of, hunt, shown, tried
from tools.fuzz.mutations import MARKERS
from tools.fuzz.readers import Reader, readers

CORPUS: Final = Path(__file__).with_name("tools") / "fuzz" / "corpus.jsonl"
_BROKEN: Final = 25
"""Inputs for each reader on every run; `.ci/run` hunts with more."""
_GENEROUS: Final = 30.0
"""Seconds: what once failed took minutes, and takes a fraction of a second."""


class Input(msgspec.Struct, frozen=True):
    """An input of a reader that once failed, long runs written as a piece and its count."""

    reader: str
    why: str
    parts: tuple[str | tuple[str, int], ...]

    def content(self) -> bytes:
        """Write the runs out."""
        texts = (part if isinstance(part, str) else part[0] * part[1] for part in self.parts)
        return "".join(texts).encode(errors="surrogateescape")


INPUTS: Final = [
    msgspec.json.decode(line, type=Input) for line in CORPUS.read_bytes().splitlines()
]


@pytest.mark.parametrize("broken", INPUTS, ids=lambda broken: f"{broken.reader}: {broken.why}")
def test_what_once_failed_is_read_or_refused(broken: Input) -> None:
    """No input that once took minutes, or ended with a traceback, does so again."""
    what, where = tried(readers()[broken.reader], broken.content(), _GENEROUS)
    assert what in {"", "refused"}, where


@pytest.mark.parametrize("name", list(readers()))
def test_every_reader_reads_its_samples(name: str) -> None:
    """A reader that refuses all that it is given would find nothing; what is broken is read or
    refused.
    """
    reader = readers()[name]
    numbers = range(len(MARKERS), len(MARKERS) + _BROKEN)
    broken = (content_of(reader, 0, number) for number in numbers)
    outcomes = [tried(reader, content, _GENEROUS) for content in (*reader.samples(), *broken)]
    assert {what for what, _ in outcomes} <= {"", "refused"}
    assert ("", "") in outcomes


def test_failures_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A traceback and a hang are each a failure of one input."""

    def read(content: bytes, harm: Callable[[], object]) -> None:
        if len(content) == 3:
            harm()

    def hang() -> None:
        while True:
            pass

    for harm in (lambda: 1 / 0, hang):
        reader = Reader("broken", lambda: (b"abc",), partial(read, harm=harm), seconds=0.25)
        monkeypatch.setitem(readers(), "broken", reader)
        tally = hunt("broken", seed=0, inputs=len(MARKERS) + 5)
        assert tally.failures
        assert {3} == {len(content_of(reader, 0, failure.number)) for failure in tally.failures}


def test_only_the_shape_of_a_secret_is_shown() -> None:
    """No letter or digit of a stored hash is in the report."""
    reader = readers()["hash"]
    for number in range(len(MARKERS), len(MARKERS) + 200):
        text = shown(reader, content_of(reader, 0, number)).partition(": b")[2]
        assert not re.search(r"[b-wyzB-Z0-8]", re.sub(r"\\.[0-9a-f]*|\{[0-9]+\}|[nrt]", "", text))
