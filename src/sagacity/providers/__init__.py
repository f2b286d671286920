"""The models we call, one file per vendor."""
