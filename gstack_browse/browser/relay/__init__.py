"""Let other programs drive the daemon's Chromium over the DevTools protocol.

    client ── WebSocket (Unix socket or 127.0.0.1) ─► server ─► client ─► client_channel ─► Chromium

`server` accepts connections and enforces limits. `client` decides about methods and targets, forwards messages, and puts
finished files where clients want them. `client_channel` sends requests to Chromium.

Each client has a browser session of its own (`Target.attachToBrowserTarget`). So Chromium separates the domains that it enables, its
overrides and the targets that wait for it from ours.
"""
