"""A crew works in threads while a block lasts, and is waited for at its end."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager


@contextmanager
def at_work(works: Sequence[Callable[[], None]], done: threading.Event) -> Iterator[None]:
    """Each of ``works`` goes on until ``done`` is set, which it is at the end of the block."""
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        done.set()
        for thread in threads:
            thread.join()
