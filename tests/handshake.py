"""A thread that finishes only if the event loop keeps running meanwhile."""

import threading

import anyio


class Handshake:
    """Synchronizes an event loop with a thread, without timing."""

    def __init__(self) -> None:
        self._begun, self._answered = threading.Event(), threading.Event()

    def wait_for_loop(self) -> None:
        """In the thread, wait until the event loop answers; fail if it is blocked."""
        self._begun.set()
        assert self._answered.wait(100), "the event loop was held"

    async def begun(self) -> None:
        """In the event loop, wait until the thread has started."""
        while not self._begun.is_set():
            await anyio.sleep(0.001)

    def answer(self) -> None:
        """Let the thread continue, now and later."""
        self._answered.set()

    async def meet(self) -> None:
        """Answer once the thread has started."""
        await self.begun()
        self.answer()
