"""What becomes of requests and of the network on the way: rules, recorded answers, slow networks. Pure: no browser, no clock."""
