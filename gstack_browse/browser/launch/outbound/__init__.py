"""Connections to servers as pages make them: proxies, logins, client certificates, TLS relays."""
