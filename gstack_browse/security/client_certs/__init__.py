"""Client certificates for named servers (`BROWSE_CLIENT_CERT`): the setting and the files. No network."""
