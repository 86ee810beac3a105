"""What pages ask a person: dialogs, file choosers, permissions, passkeys."""
