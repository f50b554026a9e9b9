"""Profiles that no machine measured: figures that are easy to reckon with."""

from pathlib import Path
from typing import Final

PROFILE_FILE: Final = Path(__file__).with_name("profile.json")
"""Hashers without memory."""
MEMORY_HARD_FILE: Final = Path(__file__).with_name("memory_hard.json")
"""Of bcrypt and scrypt; it was measured, and has few of its samples."""
SAMPLES_FILE: Final = Path(__file__).with_name("samples.json")
"""Of bcrypt, sha512-crypt and scrypt, as the module of the Ansible collection returned them."""
HISTORY_FILE: Final = Path(__file__).with_name("history.json")
SETTINGS_FILE: Final = Path(__file__).with_name("hashcost.toml")
