"""Unexpected errors and every format, in one process."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from typing import Any, Final

import pytest

from end_to_end.command import MADE_UP
from hashcost.cli import main
from hashcost.cli.commands import audit, explain
from secret_files import SecretFile
from stored.formats.samples import SAMPLES, Sample, Secrets

SECRET: Final = SecretFile(3)
FORMATS: Final = ("table", "json", "csv", "markdown")


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """Runs the command with a text on standard input: its code, output and errors."""

    def run(text: str | bytes, *arguments: str) -> tuple[int, str, str]:
        data = text.encode() if isinstance(text, str) else text
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        out, err = capfd.readouterr()
        code = ended.value.code
        assert isinstance(code, int)
        return code, out, err

    return run


@pytest.mark.parametrize("form", FORMATS)
def test_an_explanation_of_any_format_has_no_secret(form: str, run: Callable[..., Any]) -> None:
    """Of every format that is known, hashes of two seeds are explained in the same words: in
    JSON, which leaves nothing out, and some in each other form of the same document.
    """
    arguments = ("explain", "--format", form, "--profile", str(MADE_UP))
    for sample in SAMPLES if form == "json" else SAMPLES[FORMATS.index(form) :: len(FORMATS)]:
        if not sample.make(Secrets(1)).isprintable():
            continue
        app = ("--app", sample.app) if sample.app else ()
        secrets = Secrets(1)
        one = run(sample.make(secrets), *arguments, *app)
        assert one == run(sample.make(Secrets(2)), *arguments, *app)
        assert (0, "") == (one[0], one[2])
        assert not [part for part in secrets.drawn if len(part) > 5 and part in one[1]]


@pytest.mark.parametrize("sample", SAMPLES[:3], ids=lambda sample: sample.label)
def test_a_hash_that_was_damaged_has_no_secret(sample: Sample, run: Callable[..., Any]) -> None:
    """A hash that is cut short, or goes on, is not shown as what it is not either."""
    secrets = Secrets(1)
    text = sample.make(secrets)
    for damaged in (text[:-9], text + "x", text.replace("$", "%"), text[9:], "x" * 99_999 + text):
        for command in ("explain", "audit"):
            arguments = () if command == "explain" else ("-",)
            code, out, err = run(
                damaged,
                command,
                *arguments,
                "--profile",
                str(MADE_UP),
                *(() if command == "explain" else ("--target", "1s")),
            )
            assert (0, "") == (code, err)
            assert not [part for part in secrets.drawn if len(part) > 5 and part[:6] in out]


@pytest.mark.parametrize("error", [KeyError, MemoryError, OSError, RecursionError])
def test_a_bug_has_no_secret(
    error: type[Exception],
    run: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An unexpected error may quote what was read, so its kind alone is said."""

    def fail(*arguments: Any, **options: Any) -> None:
        raise error(SECRET.users().decode())

    monkeypatch.setattr(audit, "audited", fail)
    monkeypatch.setattr(explain, "explained", fail)
    audited = run(SECRET.users(), "audit", "-")
    explained = run(SECRET.hashes[0], "explain", "--profile", str(MADE_UP))
    said = (
        f"calibrate: internal error; please report it: {error.__name__}"
        " (HASHCOST_DEBUG=1 shows where, and may show what was read)\n"
    )
    assert (70, "", said) == audited == explained


@pytest.mark.parametrize("command", ["audit", "explain"])
def test_standard_input_that_cannot_be_read(
    command: str, run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A failing disk is no bug."""

    class _Failing(io.BytesIO):
        def read1(self, size: int | None = -1, /) -> bytes:
            raise OSError(5, "Input/output error")

    class _Stream:
        buffer = _Failing()

        def isatty(self) -> bool:
            return False

    arguments = ["audit", "-"] if command == "audit" else ["explain"]
    monkeypatch.setattr(sys, "stdin", _Stream())
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert 2 == ended.value.code
