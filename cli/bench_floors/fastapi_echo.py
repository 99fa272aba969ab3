"""The floor of a round trip: a socket that answers every message with as many bytes as BENCH_ANSWER_BYTES says."""

import os

from fastapi import FastAPI, WebSocket, WebSocketDisconnect

ANSWER = "x" * int(os.environ.get("BENCH_ANSWER_BYTES", "520"))
app = FastAPI()


@app.get("/health")
def health() -> dict[str, str]:
    return {"status": "healthy"}


@app.websocket("/ws")
async def echo(socket: WebSocket) -> None:
    await socket.accept()
    try:
        while True:
            await socket.receive_text()
            await socket.send_text(ANSWER)
    except WebSocketDisconnect:
        return
