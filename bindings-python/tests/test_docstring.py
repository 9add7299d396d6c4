"""Parameter texts from docstrings in three styles."""

from omniport._docstring import parse


def test_google():
    found = parse("""Do it.

    More text.

    Args:
        first: The first one,
            on two lines.
        second (int, optional): The second: with a colon.
        *rest: Others.

    Returns:
        A number.
    """)
    assert found.parameters == {"first": "The first one, on two lines.", "second": "The second: with a colon.", "rest": "Others."}
    assert found.description == "Do it.\n\nMore text.\n\nReturns:\n    A number."


def test_numpy():
    found = parse("""Do it.

    Parameters
    ----------
    a, b : int
        Both.
    c
        Alone,
        on two lines.

    Returns
    -------
    int
    """)
    assert found.parameters == {"a": "Both.", "b": "Both.", "c": "Alone, on two lines."}
    assert found.description == "Do it.\n\nReturns\n-------\nint"


def test_sphinx():
    found = parse("""Do it.

    :param a: The a,
        continued.
    :type a: int
    :param str b: The b.
    :returns: A number.
    """)
    assert found.parameters == {"a": "The a, continued.", "b": "The b."}
    assert found.description == "Do it.\n\n:returns: A number."


def test_none_of_them():
    assert parse(None) == ("", {})
    assert parse("One line.") == ("One line.", {})
    assert parse("See: this is no section\nof any kind") == ("See: this is no section\nof any kind", {})
