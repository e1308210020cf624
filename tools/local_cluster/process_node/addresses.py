"""Each pod has a loopback address of its own, so that replicas may listen on one port."""


def of_node(network: str) -> str:
    """The node's own address in its network."""
    return f"{network}.1"


class FullError(Exception):
    """Every address of the network belongs to a pod."""


class Addresses:
    """The addresses of one /24: ``.1`` is the node, the rest is for pods, reused as late as can."""

    def __init__(self, network: str) -> None:
        self.node = of_node(network)
        self._free = [f"{network}.{last}" for last in range(2, 255)]

    def take(self, former: str = "") -> str:
        """An address for a pod: the one that it had before, when it is free. Raises ``FullError``.

        A pod keeps its address for life, also when the process node was restarted meanwhile.
        """
        if not self._free:
            raise FullError("no loopback address is left for another pod")
        if former in self._free:
            self._free.remove(former)
            return former
        return self._free.pop(0)

    def give_back(self, address: str) -> None:
        """The pod is gone; its address may be used again."""
        self._free.append(address)
