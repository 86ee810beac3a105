"""Opens a session with the logins of another one: a copy of what sites know a person by."""

from gstack_browse.browser.tabs.session import BrowserSession
from gstack_browse.browser.tabs.session_state import SessionState


async def open_with_logins(session: BrowserSession, state: SessionState, name: str) -> None:
    """Open a session with the cookies, storage, headers and credentials of the context `name`.

    What is secret or imported there is so here. Raises ProtocolError.
    """
    session.shared_from = name
    session.imported = set(state.imported)
    session.extras.restore(state.extras)
    for value in state.revealed:
        session.revealed.add(value)
    _, putting = await session.open_context(state.storage)
    await putting
    await session.tab_factory.open()
