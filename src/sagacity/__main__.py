"""`python -m sagacity`: the command line."""

from sagacity.cli.main import main

if __name__ == "__main__":
    main()
