"""What must never happen on any page: an error, a warning, a broken policy, a word to another origin."""

from __future__ import annotations

import re

from playwright.async_api import BrowserContext, ConsoleMessage, Request, Response, WebError

# What a software renderer says of itself, whoever draws with it.
NOT_OURS = re.compile(r"GL Driver Message|GPU stall due to ReadPixels|software WebGL")
REPORT_VIOLATIONS = """
addEventListener("securitypolicyviolation", (event) =>
  console.error(`policy: ${event.violatedDirective} refused ${event.blockedURI} ${event.sample}`));
"""


class Guard:
    """Listens to everything that a context does, and holds it against what was to be expected."""

    def __init__(self, origin: str) -> None:
        self._origin = origin
        self._expected: list[re.Pattern[str]] = [NOT_OURS]
        self.found: list[str] = []

    async def over(self, context: BrowserContext) -> None:
        """Begin to listen."""
        context.on("console", self._console)
        context.on("weberror", self._error)
        context.on("request", self._request)
        context.on("response", self._response)
        await context.add_init_script(REPORT_VIOLATIONS)

    def expect(self, pattern: str) -> None:
        """This is what the test is about: a refused request, a server that is gone."""
        self._expected.append(re.compile(pattern))

    def verdict(self) -> list[str]:
        """What nobody expected."""
        return [line for line in self.found if not any(known.search(line) for known in self._expected)]

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning", "assert"):
            where = message.location.get("url", "") if message.location else ""
            self.found.append(f"{message.type}: {message.text} ({where})")

    def _error(self, error: WebError) -> None:
        self.found.append(f"uncaught: {error.error}")

    def _request(self, request: Request) -> None:
        if not request.url.startswith((f"{self._origin}/", "data:", "blob:")):
            self.found.append(f"another origin: {request.url}")

    def _response(self, response: Response) -> None:
        if response.status >= 500:
            self.found.append(f"{response.status}: {response.url}")
