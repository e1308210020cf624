"""Runs functions in threads inside a block, and waits for them at its end."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager


@contextmanager
def at_work(works: Sequence[Callable[[], None]], done: threading.Event) -> Iterator[None]:
    """Each of ``works`` runs until ``done`` is set, which happens at the end of the block."""
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        done.set()
        for thread in threads:
            thread.join()
