"""What clients ask, one file a dialect: a body → a Chat. Raises Problem for what can't be understood or carried."""
