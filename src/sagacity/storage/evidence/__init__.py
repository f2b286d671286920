"""The evidence log: requests and their interactions, sessions and users, and what was judged of them."""
