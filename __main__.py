"""`python -m repose` is the command `repose`."""

from __future__ import annotations

from repose.app.__main__ import main

if __name__ == "__main__":
    main()
