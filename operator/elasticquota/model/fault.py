"""A fault is one thing that is wrong in a document: where, what, and what to do about it."""

from elasticquota.structs import Struct, replace


class Fault(Struct, frozen=True):
    """What a reader could not take as it is written."""

    path: str
    """The path of the field, such as ``spec.max.cpu``; empty for the whole document."""
    message: str
    """What is wrong, with the value found."""
    remedy: str = ""
    rule: str = ""
    """The rule that it breaks; empty: that of all parts of such a document which are not read."""

    def below(self, where: str) -> "Fault":
        """Return the same fault of a document that stands at ``where`` in another."""
        return replace(self, path=".".join(filter(None, (where, self.path))))

    def __str__(self) -> str:
        """Path, message and remedy in one line."""
        text = f"{self.path}: {self.message}" if self.path else self.message
        return f"{text}. {self.remedy}" if self.remedy else text
