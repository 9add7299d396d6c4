"""What the Python servers of the bench share."""

BIG = 'The quick brown fox says "hello", then jumps over the lazy dog.\n' * 15_625
