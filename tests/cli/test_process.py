"""What the process is given: streams of any encoding, and a bound of time."""

import signal
from pathlib import Path

import pytest

from corpora import table
from hashcost.cli import app_files
from hashcost.cli.process import TimeUp, encoded, limited
from hashcost.verdicts.judgement import Held, Judgement, Outcome


@table("encoding, expected")
def test_plain_letters_stand_for_what_an_encoding_lacks(
    encoding: str | None, expected: str
) -> None:
    """Nothing fails: our own signs are written in plain letters, any other as a question mark."""
    text = encoded("35.8 ms ±10% × 2³² \u6f22", encoding)

    assert expected == text.decode(encoding or "utf-8")


def _for_ever(*_: object) -> tuple[Held, ...]:
    while True:
        pass


def test_reading_without_end_is_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The gate fails closed: what takes too long gives unknown with the bound."""
    (tmp_path / ".env").write_text("BCRYPT_ROUNDS=12\n")
    monkeypatch.setattr(app_files, "costs_in_files", _for_ever)
    monkeypatch.setattr(app_files, "LONGEST_SECONDS", 0.1)
    [found] = app_files.app_costs("laravel", (str(tmp_path / ".env"),), None)
    assert isinstance(found, Judgement)
    assert Outcome.UNKNOWN is found.outcome
    assert "reading it takes more than 0.1 s of CPU time" in found.message


def test_the_timer_is_put_back() -> None:
    """Afterwards nothing is left that could end other work."""
    before = signal.getsignal(signal.SIGPROF)
    with pytest.raises(TimeUp), limited(0.01):
        _for_ever()
    with limited(60.0):
        pass
    assert before == signal.getsignal(signal.SIGPROF)
    assert (0.0, 0.0) == signal.getitimer(signal.ITIMER_PROF)
