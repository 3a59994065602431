"""`isovist` and `python -m isovist`."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line. Ctrl-C during the import ends with one line as well."""
    try:
        from isovist.cli import main as run
    except KeyboardInterrupt:
        sys.stderr.write("isovist: interrupted.\n")
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
