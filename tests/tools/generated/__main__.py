"""``python -m tests.tools.generated [--write]``: name the files out of date, or write them."""

import argparse
import sys

from . import files


def main() -> int:
    """Compare what is generated with what is committed."""
    parser = argparse.ArgumentParser(prog="python -m tests.tools.generated", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the files that differ")
    write = parser.parse_args().write
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
