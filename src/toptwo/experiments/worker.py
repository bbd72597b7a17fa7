"""A worker: a process of its own that computes cells sent to it and ends when nobody listens any more.

Processes rather than threads, because compiling holds the interpreter: two workers compile two algorithms at a time.
Cells travel as pickles; compiled code is shared through the compile cache on disk.
"""

import os
import pickle
import queue
import sys
import threading
import traceback
from typing import IO, Any

from toptwo.experiments.store import Store


def serve(orders: IO[bytes], reports: IO[bytes]) -> None:
    """Compute what is ordered until the orders end, which they do also when the other side is killed."""
    waiting: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def listen() -> None:
        while True:
            try:
                waiting.put(pickle.load(orders))
            except (EOFError, OSError):
                os._exit(0)  # at once: whatever is being computed will be asked for again

    threading.Thread(target=listen, daemon=True).start()
    while True:
        folder, cell = waiting.get()
        report: dict[str, Any] = {}
        try:
            report["done"] = Store(folder).complete(cell)
        except Exception as problem:
            report = {"problem": f"{type(problem).__name__}: {problem}", "trace": traceback.format_exc()}
        pickle.dump(report, reports)
        reports.flush()


def main() -> None:
    """Serve on the standard streams; anything printed goes to the error stream."""
    reports = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    serve(sys.stdin.buffer, reports)


if __name__ == "__main__":
    main()
