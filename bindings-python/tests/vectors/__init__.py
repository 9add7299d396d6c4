"""The language-neutral vectors of `tests/vectors`, run through this package over real pipes and real sockets."""
