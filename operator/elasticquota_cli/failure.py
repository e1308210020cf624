"""The error that is printed to the user instead of a traceback: a sentence and an exit code."""


class Failure(Exception):  # noqa: N818 - it is the word for it
    """A verb failed; the text may have several lines, one for each fault."""

    def __init__(self, message: str, code: int = 1) -> None:
        super().__init__(message)
        self.code = code
