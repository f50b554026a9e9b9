"""Programs that maintain the project: benchmarks, a fuzzer, generators, makers of fixtures."""

import sys
from pathlib import Path

# They find the tests' helpers as pytest does.
sys.path.insert(0, str(Path(__file__).parents[1]))
