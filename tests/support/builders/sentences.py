"""The sentences of a message about a waiting pod, without those that every message has."""

from elasticquota.model import reason_code


def why(message: str) -> str:
    """``CODE: what is said``, without the quota at the start and without where to read more."""
    said = message.partition(": ")[2].rpartition(" More: ")[0]
    return f"{reason_code.at_end(message)}: {said}"
