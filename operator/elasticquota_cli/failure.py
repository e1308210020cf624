"""A failure is what a person is told instead of a traceback: a sentence, and an exit code."""


class Failure(Exception):  # noqa: N818 - it is the word for it
    """The text may have several lines, one per fault."""

    def __init__(self, message: str, code: int = 1) -> None:
        super().__init__(message)
        self.code = code
