"""Maps paths below a mount path to the volume's folder on this machine.

Nothing is mounted: arguments and values that are such a path, or an option with such a value
(``--config=/etc/x/y``), are rewritten. Paths inside longer texts, such as a shell script, are not.
"""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Mounts:
    """The folders of one container's volumes, by mount path inside the container."""

    places: dict[str, Path]

    def rewrite(self, text: str) -> str:
        """``text`` with a leading mount path replaced."""
        option, equals, value = text.partition("=")
        if equals and option.startswith("-"):
            return f"{option}={self._translate(value)}"
        return self._translate(text)

    def place(self, path: str) -> Path | None:
        """The folder of one mount path; None when the container does not mount there."""
        return self.places.get(path.rstrip("/"))

    def _translate(self, path: str) -> str:
        # The longest first, because a volume may be mounted below another one's path.
        for mount in sorted(self.places, key=len, reverse=True):
            if path == mount or path.startswith(mount + "/"):
                return str(self.places[mount]) + path[len(mount) :]
        return path
