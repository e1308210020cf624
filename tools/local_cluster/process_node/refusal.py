"""The error of a container that cannot start; its pod's status shows it, and it is retried."""


class RefusalError(Exception):
    """Why a container does not start: ``reason`` in one word, the text as a sentence."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


def config(message: str) -> RefusalError:
    """Something that the pod refers to is missing or not supported."""
    return RefusalError("CreateContainerConfigError", message)
