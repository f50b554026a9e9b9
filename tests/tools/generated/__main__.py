"""``python -m tests.tools.generated [--write]``: name the files out of date, or write them.

``--first-run`` measures what the README shows, on this machine, before.
"""

import argparse
import sys

from . import files, first_run


def main() -> int:
    """Compare what is generated with what is committed."""
    parser = argparse.ArgumentParser(prog="python -m tests.tools.generated", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the files that differ")
    parser.add_argument("--first-run", action="store_true", help="measure the README's table")
    arguments = parser.parse_args()
    write = arguments.write
    if arguments.first_run:
        first_run.measure(files.DOCS)
    stale = files.stale()
    for path, content in stale.items():
        print(f"{'wrote' if write else 'out of date:'} {path.relative_to(files.ROOT)}")
        if write and content is None:
            path.unlink()
        elif write and content is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, "utf-8")
    return 0 if write or not stale else 1


if __name__ == "__main__":
    sys.exit(main())
