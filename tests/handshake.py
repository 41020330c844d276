"""Work in a thread that ends only if the event loop goes on meanwhile."""

import threading

import anyio


class Handshake:
    """Meeting of an event loop and a thread, neither of which counts seconds."""

    def __init__(self) -> None:
        self._begun, self._answered = threading.Event(), threading.Event()

    def wait_for_loop(self) -> None:
        """Wait in the thread until the event loop answers; fail if that is held."""
        self._begun.set()
        assert self._answered.wait(100), "the event loop was held"

    async def begun(self) -> None:
        """Wait in the event loop until the thread has begun."""
        while not self._begun.is_set():
            await anyio.sleep(0.001)

    def answer(self) -> None:
        """Let the thread go on, now and later."""
        self._answered.set()

    async def meet(self) -> None:
        """Answer when the thread has begun."""
        await self.begun()
        self.answer()
