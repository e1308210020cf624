"""Each pod has a loopback address of its own, so that replicas may listen on one port."""


class FullError(Exception):
    """Every address of the network belongs to a pod."""


class Addresses:
    """The addresses of one /24: ``.1`` is the node, the rest is for pods, reused as late as can."""

    def __init__(self, network: str) -> None:
        self.node = f"{network}.1"
        self._free = [f"{network}.{last}" for last in range(2, 255)]

    def take(self) -> str:
        """An address for a pod. Raises ``FullError``."""
        if not self._free:
            raise FullError("no loopback address is left for another pod")
        return self._free.pop(0)

    def give_back(self, address: str) -> None:
        """The pod is gone; its address may be used again."""
        self._free.append(address)
