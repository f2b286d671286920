"""Limits in settings: one number for each table, as people write them."""

from sagacity.domain.retention import TABLES

MOST = 10**12


def read_limits(text: str) -> dict[str, int]:
    """
    Return the limits of a list such as `model_calls=400,interactions=730`.

    Raises:
        ValueError: a table is not known or named twice, or a limit is no whole number.
    """
    limits: dict[str, int] = {}
    for part in filter(None, map(str.strip, text.split(","))):
        table, _, number = map(str.strip, part.partition("="))
        if table not in TABLES:
            raise ValueError(f"{table!r} is no table with a limit; write {', '.join(TABLES)}")
        if table in limits:
            raise ValueError(f"{table} is named twice")
        if not (number.isascii() and number.isdigit() and len(number) <= len(str(MOST))):
            raise ValueError(f"{part!r} names no limit; write {table}=NUMBER")
        limits[table] = int(number)
    return limits
