"""Machines that are new: Debian with as few programs as a test wants, made by debootstrap, as root."""
