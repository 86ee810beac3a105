"""What is done to a page: finding, acting, navigating, waiting."""
