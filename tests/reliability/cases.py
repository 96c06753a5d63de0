"""The reliability cases of the groups X, I, T, P, G, R and F.

A case is tested by a function of this folder whose name begins with its number (`test_x03_...`), or by a function
anywhere with its number as mark: `@pytest.mark.case("X08")`. `NOT_YET` are those that concern what the program does not
have; `MISSED` those it does not meet, each with a strict xfail of that number.
"""

from __future__ import annotations

NOT_YET: dict[str, str] = {
    "G07": "a window asks for nothing that a lower setting would do without: no multisampling, no depth, no alpha",
    "R02": "no other process encodes: the encoder is a library",
    "R04": "no other process encodes: there is no standard error to fill",
    "F12": "there is no log file",
}

MISSED: tuple[str, ...] = ()

WANTED = (
    *(f"X{number:02}" for number in (2, 3, 4, 6, 7, 8, 9, 10, 12, 13, 14, 15, 16, 17, 18, 19)),
    *(f"I{number:02}" for number in (*range(1, 19), *range(20, 25))),
    *(f"T{number:02}" for number in (*range(1, 9), 11, 12, 13, 15, 16, 17)),
    *(f"P{number:02}" for number in (*range(1, 20), 21, 22)),
    *(f"G{number:02}" for number in (*range(1, 7), *range(8, 18), 19, 20, 21, 22)),
    *(f"R{number:02}" for number in (1, *range(5, 17))),
    *(f"F{number:02}" for number in (1, *range(3, 12), *range(13, 17))),
)
"""The cases of these groups that concern what there is."""
