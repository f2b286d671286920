"""Numbers with their nouns, for sentences."""


def counted(count: int, noun: str) -> str:
    """Return a number with its noun: `1 user`, `2,000 users`, `3 memories`."""
    return f"{count:,} {noun if count == 1 else plural(noun)}"


def plural(noun: str) -> str:
    """Return the plural of a regular noun: `days`, `entities`."""
    return f"{noun[:-1]}ies" if noun[-1] == "y" and noun[-2] not in "aeiou" else f"{noun}s"
