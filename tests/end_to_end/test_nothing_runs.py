"""Nothing that is read is run, and nothing of the folder in which the command is started."""

import shutil
import sys
from pathlib import Path
from typing import Final

from corpora import cases
from end_to_end.command import MADE_UP, calibrate_installed
from end_to_end.hostile import leaves_a_mark, put_modules

READ: Final = cases(__file__, "nothing_runs.toml", "read")


COMMANDS: Final = cases(__file__, "nothing_runs.toml", "commands")
DRIVER: Final = cases(__file__, "nothing_runs.toml", "driver")


def test_nothing_of_a_project_is_run(tmp_path: Path) -> None:
    """Code is parsed, never run; modules beside it are not taken for installed ones."""
    project, marks = tmp_path / "project", tmp_path / "marks"
    for folder in (project, marks):
        folder.mkdir()
    put_modules(project, marks)
    for name, text in READ.items():
        (project / name).write_text(leaves_a_mark(marks) + text)
    shutil.copy(MADE_UP, project / "p.json")
    # Started as the installed command is: its own folder is where Python looks first.
    (tmp_path / "driver").write_text(DRIVER)
    driver = (sys.executable, str(tmp_path / "driver"))
    ended = calibrate_installed(command=driver, cwd=project, stdin=COMMANDS.encode())
    version = calibrate_installed("--version", cwd=project)

    assert [] == list(marks.iterdir())
    assert (0, 0) == (ended.code, version.code), ended.err
    assert (project / "report.html").exists()
