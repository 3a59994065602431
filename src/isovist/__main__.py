"""`python -m isovist`."""

from isovist.cli import main

main()
