"""``python -m hashcost`` is the command ``calibrate``."""

from hashcost.cli import main

main()
