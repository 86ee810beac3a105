"""The errors of requests to the browser."""


class ProtocolError(Exception):
    """The browser has refused a request, or cannot answer it any more."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
