"""Print the lowest versions that pyproject.toml allows, as constraints for pip."""

import re
import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parent.parent / "pyproject.toml"


def main() -> None:
    """Print a line for each dependency of the package itself."""
    wanted = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["dependencies"]
    for text in wanted:
        if ";" not in text:  # what only some Pythons need
            name, version = re.findall(r"^([\w-]+)>=([\d.]+)", text)[0]
            sys.stdout.write(f"{name}=={version}\n")


if __name__ == "__main__":
    main()
