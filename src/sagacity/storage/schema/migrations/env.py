"""Run by Alembic's command line only; the program itself calls storage/schema/migrate.py."""
