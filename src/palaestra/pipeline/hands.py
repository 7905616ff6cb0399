"""Other processes as the hands of this one: several jobs at a time, with the results of one after the other.

A job is a function of a module, or a `functools.partial` of one, whose arguments can be sent to another process.
"""

import os
import signal
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children, get_context, parent_process
from threading import Thread

from palaestra.core.errors import ConfigError

Told = Callable[[int, int], None]
"""Told how much of how much is done."""


def hand() -> None:
    """Make this process the hand of its parent: Ctrl-C is the parent's affair, and when that ends, however it does, so
    does this one. A hand that went on would write into a folder where the next call is at work."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_mourned, daemon=True).start()


def _mourned() -> None:
    if (parent := parent_process()) is not None:
        parent.join()
        os._exit(1)


def done(jobs: Mapping[str, Callable[[Told], object]], told: Callable[[str], Told], workers: int = 1) -> None:
    """Do all jobs.

    Args:
        jobs: by name; each is told of how much of it is done.
        told: what begins. Where jobs are done side by side that is all of them, and what counts is how many are done.
        workers: how many processes share the jobs; with one they are done here.

    Raises:
        ConfigError: a process was killed.
        Exception: what the first job raised that failed; those under way are stopped where they are.
    """
    if workers == 1 or len(jobs) < 2:
        for name, job in jobs.items():
            job(told(name))
        return
    step, others = told(f"{len(jobs)} runs, {workers} at a time"), active_children()
    hands = ProcessPoolExecutor(min(workers, len(jobs)), get_context("spawn"), hand)
    try:
        asked = [hands.submit(job, _unheard) for job in jobs.values()]
        for number, one in enumerate(as_completed(asked), 1):
            one.result()
            step(number, len(asked))
    except BrokenProcessPool as error:
        raise ConfigError(
            f"one of {workers} processes was killed, perhaps for want of memory; the same command goes on: try fewer"
        ) from error
    finally:
        hands.shutdown(wait=False, cancel_futures=True)
        for child in active_children():
            if child not in others:
                child.kill()


def _unheard(done: int, total: int) -> None:
    """Of a job in another process nothing is told until it is done."""
