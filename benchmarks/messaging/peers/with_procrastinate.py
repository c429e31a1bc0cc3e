"""A job a message of 1 KB; run by the Python of the peers. COUNT DATABASE_URL_AS_LIBPQ_HAS_IT"""

from __future__ import annotations

import asyncio
import base64
import os
import sys
import time

import procrastinate

done = 0


async def measure(count: int, conninfo: str) -> None:
    """Prints jobs a second, from the first that is deferred to the last that is done; two workers beside the sender."""
    app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=conninfo, max_size=12))

    @app.task(name="take")
    async def take(body: str) -> None:
        global done  # noqa: PLW0603 - a task has no other state
        assert len(base64.b64decode(body)) == 1024
        done += 1

    async with app.open_async():
        if not await app.check_connection_async():
            await app.schema_manager.apply_schema_async()
        began = time.perf_counter()
        worker = asyncio.create_task(app.run_worker_async(concurrency=10, delete_jobs="always", wait=True))
        for _ in range(count // 100):
            await take.batch_defer_async(*({"body": base64.b64encode(os.urandom(1024)).decode()} for _ in range(100)))
        while done < count:
            await asyncio.sleep(0.005)
        print(count / (time.perf_counter() - began))
        worker.cancel()


if __name__ == "__main__":
    asyncio.run(measure(int(sys.argv[1]), sys.argv[2]))
