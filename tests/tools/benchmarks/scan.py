"""Scan: wall time of ``calibrate scan`` on a made-up tree of 10,000 files."""

from __future__ import annotations

import random
import statistics
import tempfile
from pathlib import Path
from typing import Final

from hashcost.source_code.rules import LANGUAGES, load_language
from made_up import PROFILE_FILE

from .fresh import command
from .report import Report, Table, seconds, verdict
from .settings import Settings, counter

_PROFILE: Final = PROFILE_FILE
_FILES: Final = 10_000
_LIMIT: Final = 10.0
_SHARES: Final = (0.05, 1.0)
"""Of the files that hold a cost: as it usually is, and all."""
_LINES: Final = 150


def run(settings: Settings) -> Report:
    """Make a tree for each share, and scan it by a profile, so that nothing is timed."""
    files = settings.size(_FILES, _FILES // 10)
    rounds = settings.size(3, 1)
    show = counter("scan", len(_SHARES) * rounds)
    rows = []
    with command() as calibrate, tempfile.TemporaryDirectory() as folder:
        for number, share in enumerate(_SHARES):
            root = Path(folder, str(number))
            size = _make(root, files, share)
            times = []
            for index in range(rounds):
                call = calibrate.call(
                    "scan", str(root), "--profile", str(_PROFILE), "--warn-only", "--format", "csv"
                )
                times.append(call.wall_seconds)
                show(number * rounds + index)
            taken = statistics.median(times)
            limit = _LIMIT * files / _FILES
            rows.append(
                [
                    f"{share:.0%} with a cost",
                    f"{files:,}",
                    f"{size / 2**20:.0f} MiB",
                    seconds(taken),
                    seconds(limit),
                    verdict(met=taken <= limit),
                ]
            )
    columns = ("what", "files", "size", "taken", "limit", "verdict")
    return Report(tables=[Table("Scan of a tree of source files", columns, rows)])


def _make(root: Path, files: int, share: float) -> int:
    """Write the files, evenly over all languages and folders; their size in bytes."""
    chance = random.Random(1)
    known = [
        (language, rule) for language in map(load_language, LANGUAGES) for rule in language.rule
    ]
    size = 0
    for number in range(files):
        language, rule = known[number % len(known)]
        folder = root / f"package{number % 97}" / f"part{number % 13}"
        folder.mkdir(parents=True, exist_ok=True)
        text = _program(language.language, rule.example if chance.random() < share else "")
        mark = "#" if language.language in {"python", "ruby", "elixir"} else "//"
        lines = f"{mark} one of many lines that say nothing about hashes\n" * (_LINES // 2)
        body = "".join(_function(language.language, each) for each in range(_LINES // 6))
        text = text + lines + body
        size += len(text)
        suffix = next(iter(language.grammars))
        (folder / f"file{number}{suffix}").write_text(text)
    return size


def _program(language: str, statement: str) -> str:
    """A whole file around one statement."""
    if language == "kotlin":
        statement = statement.replace("new ", "").replace(" << ", " shl ").rstrip(";")
    head, tail = {
        "php": ("<?php\n", ""),
        "go": ("package a\nfunc f() {\n", "\n}"),
        "kotlin": ("fun f() {\n", "\n}"),
        "java": ("class A { void F() {\n", "\n} }"),
        "csharp": ("class A { void F() {\n", "\n} }"),
    }.get(language, ("", ""))
    return f"{head}{statement}{tail}\n"


def _function(language: str, number: int) -> str:
    """A few lines of code that set no cost."""
    return {
        "python": f"def g{number}(a, b):\n    c = a + b * {number}\n    return h(c, 'x')\n",
        "ruby": f"def g{number}(a, b)\n  c = a + b * {number}\n  h(c, 'x')\nend\n",
        "elixir": f"def g{number}(a, b) do\n  c = a + b * {number}\n  h(c, 'x')\nend\n",
        "php": f"function g{number}($a, $b) {{\n  $c = $a + $b;\n  return h($c, 'x');\n}}\n",
        "go": f"func g{number}(a int, b int) int {{\n  c := a + b\n  return h(c)\n}}\n",
        "rust": f"fn g{number}(a: u32, b: u32) -> u32 {{\n  let c = a + b;\n  h(c)\n}}\n",
        "kotlin": f"fun g{number}(a: Int, b: Int): Int {{\n  val c = a + b\n  return h(c)\n}}\n",
    }.get(
        language,
        f"class G{number} {{ G g(a, b) {{\n  x = h(a + b, 'y');\n  return x;\n}} }}\n"
        if language in {"java", "csharp"}
        else f"function g{number}(a, b) {{\n  const c = a + b;\n  return h(c, 'x');\n}}\n",
    )
