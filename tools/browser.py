"""A headless Chromium, driven through its DevTools protocol: open a page, see what it asks for and what goes wrong."""

import asyncio
import base64
import itertools
import json
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tornado.httpclient import AsyncHTTPClient
from tornado.websocket import WebSocketClientConnection, websocket_connect

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-port=0",
)
PATIENCE = 60
"""Seconds that starting, loading or answering may take."""

SETTLED = "window.MathJax?.startup ? MathJax.startup.promise.then(() => true) : true"
RAW_MATH = "[...document.querySelectorAll('.math')].filter(node => !node.querySelector('mjx-container')).length"


@dataclass
class Visit:
    """One page load: the addresses asked for, the errors in the console, how many formulas stayed raw TeX."""

    requests: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    raw_math: int = 0


class Browser:
    """An asynchronous context: ``async with Browser(executable) as browser``."""

    def __init__(self, executable: str) -> None:
        self.executable = executable
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.visit_now = Visit()
        self.loaded = asyncio.Event()
        self.numbers = itertools.count(1)
        self.answers: dict[int, asyncio.Future[Any]] = {}

    async def __aenter__(self) -> Self:
        self.process = await asyncio.create_subprocess_exec(
            self.executable,
            *FLAGS,
            f"--user-data-dir={self.profile.name}",
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        port = await asyncio.wait_for(self._port(), PATIENCE)
        tab = await AsyncHTTPClient().fetch(f"http://127.0.0.1:{port}/json/new", method="PUT", body="")
        self.socket: WebSocketClientConnection = await websocket_connect(
            json.loads(tab.body)["webSocketDebuggerUrl"], max_message_size=2**28
        )
        self.listener = asyncio.create_task(self._listen())
        for domain in ("Network", "Page", "Runtime", "Log"):
            await self.call(f"{domain}.enable")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.listener.cancel()
        self.process.kill()
        await self.process.wait()
        self.profile.cleanup()

    async def _port(self) -> int:
        file = Path(self.profile.name, "DevToolsActivePort")
        while not (file.exists() and file.read_text().count("\n")):
            if self.process.returncode is not None:
                raise RuntimeError(f"{self.executable} stopped with exit code {self.process.returncode}")
            await asyncio.sleep(0.05)
        return int(file.read_text().splitlines()[0])

    async def _listen(self) -> None:
        while (text := await self.socket.read_message()) is not None:
            message = json.loads(text)
            details = message.get("params", {})
            match message.get("method"):
                case None:
                    self.answers.pop(message["id"]).set_result(message)
                case "Network.requestWillBeSent":
                    self.visit_now.requests.append(details["request"]["url"])
                case "Page.loadEventFired":
                    self.loaded.set()
                case "Runtime.exceptionThrown":
                    exception = details["exceptionDetails"]
                    self.visit_now.errors.append(
                        exception.get("exception", exception).get("description", exception["text"])
                    )
                case "Log.entryAdded" if details["entry"]["level"] == "error":
                    self.visit_now.errors.append(details["entry"]["text"])

    async def call(self, method: str, **arguments: Any) -> Any:
        """Call a method of the protocol and return its result."""
        number = next(self.numbers)
        answer = self.answers[number] = asyncio.get_running_loop().create_future()
        await self.socket.write_message(json.dumps({"id": number, "method": method, "params": arguments}))
        message = await asyncio.wait_for(answer, PATIENCE)
        if "error" in message:
            raise RuntimeError(f"{method}: {message['error']['message']}")
        return message["result"]

    async def evaluate(self, script: str) -> Any:
        """The value of a JavaScript expression in the page, awaited if it is a promise."""
        answer = await self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{script}: {answer['exceptionDetails']['text']}")
        return answer["result"].get("value")

    async def visit(self, url: str) -> Visit:
        """Open an address and wait until it is loaded and its formulas are set."""
        self.visit_now = Visit()
        self.loaded.clear()
        await self.call("Page.navigate", url=url)
        await asyncio.wait_for(self.loaded.wait(), PATIENCE)
        await self.evaluate(SETTLED)
        self.visit_now.raw_math = await self.evaluate(RAW_MATH)
        return self.visit_now

    async def screenshot(self, path: Path, width: int = 1280, height: int = 900, *, dark: bool = False) -> None:
        """Save the page as it stands, from its top, as a PNG."""
        theme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        await self.call("Emulation.setEmulatedMedia", features=theme)
        await self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )
        shot = await self.call("Page.captureScreenshot", format="png")
        path.write_bytes(base64.b64decode(shot["data"]))
