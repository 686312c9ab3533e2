"""Stories that tests tell: coroutines, run to their end."""

import asyncio
from concurrent.futures import ThreadPoolExecutor


def in_a_thread(story):
    """Run a coroutine in a thread: a browser of other tests may have a loop running in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, story).result()
