"""The workspace, the site and the package of the end-to-end tests."""

from tests.e2e.conftest import home, lasting, package, site

__all__ = ["home", "lasting", "package", "site"]
