"""The state and records of background work: cursors, leases, operations, and the ledger of model calls."""
