"""The Ansible collection, where Python and Ansible look for collections."""

from pathlib import Path
from typing import Final

COLLECTION: Final = Path(__file__).parents[2] / "ansible"


def linked(folder: Path) -> Path:
    """A folder of collections that has this one."""
    home = folder / "ansible_collections" / "hashcost"
    home.mkdir(parents=True)
    (home / "calibrate").symlink_to(COLLECTION)
    return folder
