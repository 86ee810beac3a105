"""Client certificates for named servers (`BROWSE_CLIENT_CERT`): what the setting says, and what the files hold. No network."""
