"""What clients get, one file a dialect: events → the bytes of a stream, or of a whole answer."""
