"""Pages that a person opens in their own browser: boards, the cookie picker. Served on loopback."""
