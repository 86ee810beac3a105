"""The workspace, the site and the package of the end-to-end tests."""

from tests.e2e.daemon.conftest import home, lasting, package, site

__all__ = ["home", "lasting", "package", "site"]
