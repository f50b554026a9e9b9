"""The command ``calibrate``, also as ``python -m hashcost``."""

import sys
from typing import NoReturn


def main() -> NoReturn:
    """Load the command and run it."""
    try:
        from hashcost.cli import main as calibrate
    except KeyboardInterrupt:
        # Loading takes a tenth of a second, in which nothing of ours obeys signals yet.
        if sys.stderr is not None:
            sys.stderr.write("calibrate: interrupted\n")
        sys.exit(130)
    calibrate()


if __name__ == "__main__":
    main()
