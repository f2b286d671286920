"""What may be done with learned things, on behalf of a principal: for every door."""
