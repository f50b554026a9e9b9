"""No command writes its result over what it reads."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from corpora import table
from end_to_end.command import MADE_UP, calibrate

READ: Final = {
    "profile.json": MADE_UP.read_bytes(),
    "hashes.txt": b"$2b$12$abcdefghijklmnopqrstuuxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n",
    "code.py": b"import bcrypt\nbcrypt.gensalt(12)\n",
    "hashcost.toml": b'check = ["bcrypt=12"]\nprofile = "profile.json"\n',
}


@table("arguments, kept")
def test_what_is_read_is_not_replaced(
    arguments: tuple[str, ...], kept: str, tmp_path: Path
) -> None:
    """A result that would go where an input lies is refused, whatever way leads there."""
    for name, content in READ.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "link").symlink_to(kept)
    reports = arguments[0] in {"check", "scan"}
    for there in (kept, f"./{kept}", "link"):
        output = ("--report", f"json={there}") if reports else ("--output", there)
        ended = calibrate(*arguments, *output, cwd=tmp_path)
        assert (ended.code, ended.out) == (2, ""), ended.err
        assert f"{output[0]} would overwrite a file that is read; name another" in ended.err
        assert (tmp_path / kept).read_bytes() == READ[kept]
