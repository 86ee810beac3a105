"""A relay for each server that wants a client certificate (`BROWSE_CLIENT_CERT`): Chromium is led here for that server only.

Chromium's connection ends here, and begins anew towards the server, where the certificate is presented and the server's is looked at. Towards
Chromium the relay shows a certificate made for this browser, whose key exists in this process only and by which Chromium knows it. A server that is not
trusted, or whose TLS we do not understand, Chromium meets by itself: then the relay passes its bytes on, and the failure is Chromium's own.
"""

import asyncio
import ssl

from gstack_browse.browser.launch import client_hello, way
from gstack_browse.browser.launch.client_certs import EXPIRED, PresentedCert, refusal
from gstack_browse.browser.launch.local_peer import is_of_this_user
from gstack_browse.browser.launch.relay_cert import RelayCert
from gstack_browse.browser.launch.tls_stream import Stream, TcpStream, TlsStream
from gstack_browse.client_certs.entries import VARIABLE, ClientCert
from gstack_browse.errors import BrowseError
from gstack_browse.settings import Settings

HERE = "127.0.0.1"
HELLO_SECONDS = 10.0
CONNECT_SECONDS = 25.0
"""Less than Chromium waits for a handshake, so that it hears why there is none."""
MOST_JUDGING_SECONDS = 1.0
"""How long a server that has not taken the certificate before may take to refuse it, behind the handshake."""


class _Refused(Exception):
    """The server, or the calendar, does not take the client's certificate. `alert`: what to tell Chromium."""

    def __init__(self, alert: int) -> None:
        super().__init__()
        self.alert = alert


class ServerRelay:
    """The relay for one server, to which the certificate is `presented`. `trouble` says why the last connection failed, in words; "" after one that did not."""

    def __init__(self, presented: PresentedCert, own: RelayCert, settings: Settings) -> None:
        self.one: ClientCert = presented.one
        self.trouble = ""
        self.presented = presented
        self._own = own
        self._settings = settings
        self._is_taken = False
        """Whether the server has taken the certificate once."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    async def open(self) -> None:
        """Listen, on this machine only."""
        self._server = await asyncio.start_server(self._connected, HERE, 0)

    @property
    def port(self) -> int:
        assert self._server is not None
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    def close(self) -> None:
        """Stop listening, and cut what is under way."""
        if self._server:
            self._server.close()
        for task in self._tasks:
            task.cancel()

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(self._served(TcpStream(reader, writer)))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _served(self, near: TcpStream) -> None:
        """Answer one connection of Chromium's. Never raises for what either side does."""
        try:
            if await asyncio.to_thread(is_of_this_user, near.writer.get_extra_info("peername")[1], self.port):
                await self._relayed(near)
        except (OSError, TimeoutError, client_hello.NotTls):
            pass  # said already, or nobody of ours has asked
        finally:
            near.abort()

    async def _relayed(self, near: TcpStream) -> None:
        async with asyncio.timeout(HELLO_SECONDS):
            content, hello = await _hello(near)
        if hello.server_name != self._name:
            return  # a page that has found the port, under another name
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                far = await self._far(hello.protocols)
        except _Refused as refused:
            await near.write(client_hello.alert(refused.alert))
            await near.finish()
            return
        except ssl.SSLError as error:
            self.trouble = f"{VARIABLE}: {self.presented.title} was not presented: {_words(error)}"
            await self._by_itself(near, content)
            return
        except (OSError, TimeoutError) as error:
            self._unreachable(error)
            raise
        self.trouble = ""
        try:
            end = TlsStream(near, self._own.context(far.protocol), already=content)
            await end.handshake()
            await self._joined(end, far)
        finally:
            far.abort()

    @property
    def _name(self) -> str:
        """What Chromium names in a connection: no address."""
        return "" if ":" in self.one.host or self.one.host.replace(".", "").isdigit() else self.one.host

    async def _far(self, protocols: tuple[str, ...]) -> TlsStream:
        """A connection to the server, which has taken the certificate as far as can be known. Raises _Refused, OSError, TimeoutError."""
        try:
            context = await asyncio.to_thread(self.presented.context, protocols)
        except BrowseError as error:  # the files have changed, and cannot be used any more
            self.trouble = error.message
            raise _Refused(_UNUSABLE) from None
        if lapse := self.presented.lapse():
            self.trouble = f"{VARIABLE}: {self.presented.title} {lapse}"
            raise _Refused(EXPIRED)
        below = await self._way()
        far = TlsStream(below, context, self.one.host)
        loop = asyncio.get_running_loop()
        try:
            began = loop.time()
            await far.handshake()
            if far.judges_client_later and not self._is_taken:
                await far.hear(min(3 * (loop.time() - began), MOST_JUDGING_SECONDS))
        except BaseException as error:
            below.abort()
            if isinstance(error, ssl.SSLError) and (said := refusal(error)):
                raise self._refused(*said) from None
            raise
        self._is_taken = True
        return far

    def _refused(self, alert: int, words: str) -> _Refused:
        self.trouble = f"{VARIABLE}: the server does not take {self.presented.title}: {words}"
        return _Refused(alert)

    def _unreachable(self, error: Exception) -> None:
        why = (getattr(error, "strerror", None) or str(error)) if isinstance(error, OSError) else ""
        self.trouble = f"{self.one.endpoint} cannot be reached: {why or 'no answer'}"

    async def _way(self) -> Stream:
        settings, one = self._settings, self.one
        proxy = settings.proxy.server_for(one.origin) if settings.proxy else None
        trust = self.presented.trust
        return await way.connected(one.host, one.port, proxy, trust, allows_metadata=settings.allows_metadata)

    async def _by_itself(self, near: TcpStream, content: bytes) -> None:
        """Lead Chromium to the server, as if we were not there."""
        async with asyncio.timeout(CONNECT_SECONDS):
            far = await self._way()
        try:
            await far.write(content)
            await self._joined(near, far)
        finally:
            far.abort()

    async def _joined(self, near: Stream, far: Stream) -> None:
        """Pass on what both say, until one ends. A proper end is passed on as one."""

        async def forward() -> None:
            while content := await near.read():
                await far.write(content)
            await far.finish()

        async def back() -> None:
            try:
                while content := await far.read():
                    await near.write(content)
            except ssl.SSLEOFError:  # Chromium takes that for an end, where it knows no better
                await near.end()
                return
            except ssl.SSLError as error:
                if said := refusal(error):
                    self._is_taken = False
                    self._refused(*said)
                raise
            await near.finish()

        tasks = [asyncio.ensure_future(forward()), asyncio.ensure_future(back())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


_UNUSABLE = 46


async def _hello(near: TcpStream) -> tuple[bytes, client_hello.ClientHello]:
    """The first message, and all that was read with it. Raises NotTls."""
    content = b""
    while True:
        came = await near.read()
        if not came:
            raise client_hello.NotTls("it ends")
        content += came
        if hello := client_hello.read(content):
            return content, hello


def _words(error: ssl.SSLError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"the server's certificate is not trusted ({error.verify_message})"
    return f"the server's TLS fails ({(error.reason or 'unknown').lower().replace('_', ' ')})"
