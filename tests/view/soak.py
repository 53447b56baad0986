"""Server memory over minutes with three viewers, one of them stalled.

python tests/view/soak.py [MINUTES]     (by hand: it is too long for the tests)
"""

import asyncio
import json
import sys
import time

from served import served
from websockets.asyncio.client import connect

from koski.view.frames import decode
from koski.view.game import Game
from koski.view.sandbox import Origin


def resident() -> float:
    """Memory of this process [MiB]."""
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))


async def look(port: int, end: float, stalls: bool, seen: list[int]) -> None:
    """Draw every frame, or for ever none; come back whenever let go."""
    while time.monotonic() < end:
        where = f"ws://127.0.0.1:{port}/ws"
        try:
            async with connect(
                where, origin=f"http://127.0.0.1:{port}", max_size=None, compression=None
            ) as ws:
                if stalls:
                    ws.transport.pause_reading()
                    await asyncio.sleep(max(end - time.monotonic(), 0))
                    return
                shape = None
                while time.monotonic() < end:
                    data = await ws.recv()
                    if isinstance(data, str):
                        told = json.loads(data)
                        shape = (told["ny"], told["nx"]) if told["type"] == "WorldInfo" else shape
                        continue
                    header, _, _ = decode(data, shape)
                    seen.append(header["seq"])
                    await ws.send(json.dumps({"type": "Ack", "seq": header["seq"]}))
        except Exception as e:
            print("  let go:", e)


async def watch(port: int, minutes: float, game: Game) -> None:
    end, seen, before = time.monotonic() + 60 * minutes, [], None
    tasks = [asyncio.create_task(look(port, end, k == 2, seen)) for k in range(3)]
    while time.monotonic() < end:
        await asyncio.sleep(min(30, 60 * minutes / 4))
        now = resident()
        before = before or now
        print(
            f"{(time.monotonic() - end) / 60 + minutes:5.1f} min  {now:7.1f} MiB"
            f"  ({now - before:+.1f})  t = {game.snapshot.t:.1f} s, {len(seen)} frames drawn",
            flush=True,
        )
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


if __name__ == "__main__":
    game = Game(lambda: Origin.named("river-dam"))
    game.start()
    while game.snapshot is None or game.snapshot.t == 0:
        time.sleep(0.1)
    with served(game) as (_, port):
        asyncio.run(watch(port, float(sys.argv[1]) if len(sys.argv) > 1 else 10.0, game))
    game.stop()
