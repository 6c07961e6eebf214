"""Protocol versions and table features, and the clients that know them."""
