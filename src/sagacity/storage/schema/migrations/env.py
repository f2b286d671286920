"""Only Alembic's command line runs this; the program itself calls storage/schema/migrate.py."""
