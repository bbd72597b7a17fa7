"""How an algorithm looks in every figure: its colour, its marker, its line and its hatch."""

import re
from colorsys import hls_to_rgb
from typing import NamedTuple
from zlib import crc32


class Style(NamedTuple):
    """What tells one algorithm from another, in colour and in grey."""

    colour: str
    marker: str = "o"
    line: str | tuple[int, tuple[float, ...]] = "-"
    hatch: str = ""


_DASHED, _DOTTED, _MIXED = (0, (5.0, 2.0)), (0, (1.0, 1.5)), (0, (6.0, 1.5, 1.0, 1.5))

STYLES = {
    "TTUCB": Style("#d55e00", "o"),
    "TTUCB with g_u": Style("#1f4e9c", "s", "-"),
    "EB-TCI": Style("#009e73", "s", _DASHED),
    "T3C": Style("#0072b2", "^", _MIXED),
    "TTTS": Style("#56b4e9", "v", _DOTTED),
    "TaS": Style("#aa3377", "D", "-"),
    "FWS": Style("#e69f00", "P", _DASHED),
    "DKM": Style("#7b5b3a", "X", _MIXED),
    "LUCB": Style("#332288", "<", _DOTTED),
    "1/2-LUCB": Style("#8878c3", ">", _DASHED),
    "uniform": Style("#7a7a7a", "d", _MIXED),
    "EB-TC": Style("#66c2a5", "h", _DOTTED),
    "TTEI": Style("#cc79a7", "*", "-"),
    "TTPS": Style("#f0a6b0", "p", _DASHED),
    "TT-IMED": Style("#a6761d", "H", _DOTTED),
    "TT-MOSS": Style("#b2a15e", "8", _MIXED),
    "TaS-C": Style("#dd77aa", "D", _DASHED),
    "LUCB1": Style("#4a3fa8", "<", "-"),
    "KL-LUCB": Style("#6a5fd0", "<", _DASHED),
    "UGapE": Style("#117733", "P", "-"),
    "SE": Style("#999933", "s", _DOTTED),
    "lilUCB": Style("#ddcc77", "^", "-"),
    "lilUCB-heuristic": Style("#e8dca0", "^", _DASHED),
    "Exp-Gap": Style("#882255", "v", "-"),
    "EBS": Style("#44aa99", "X", "-"),
    "Peace": Style("#88ccee", "d", "-"),
}
"""Colours after Okabe and Ito and Paul Tol, told apart by colour-blind readers; other algorithms get one made up."""

MARKERS = tuple("os^vDPX<>dh*pH8")
LINES = ("-", _DASHED, _DOTTED, _MIXED)

HATCHES = {
    "heuristic": "",
    "betting": "\\\\\\\\",
    "mixture": "////",
    "proven": "xxxx",
    "closest": "////",
    "fewest pulls": "....",
    "empirical best": "----",
    "lowest index": "xxxx",
    "one tracker": "++++",
}
"""What follows the comma in the name of a variant."""


def style(algorithm: str) -> Style:
    """Return the look of an algorithm; a variant has the colour of its base and a hatch or a line of its own.

    Examples
    --------
    >>> style("A-S-T3C").colour == style("T3C").colour, style("A-T3C").hatch
    (True, '////')
    """
    name, _, detail = algorithm.partition(", ")
    base = name
    while base not in STYLES and re.match(r"[TSA]-", base):
        base = base[2:]
    found = STYLES.get(base) or STYLES.get(base.partition(" ")[0]) or _made_up(base)
    if name.startswith("A-"):
        return found._replace(hatch="////", line=_DASHED)
    if name.startswith("S-"):
        return found._replace(hatch="....", line=_DOTTED)
    if detail:
        return found._replace(hatch=HATCHES.get(detail, "oo"))
    return found


def _made_up(name: str) -> Style:
    """Return a look that depends on nothing but the name."""
    chance = crc32(name.encode())
    shade = "#" + "".join(f"{round(255 * part):02x}" for part in hls_to_rgb(chance % 359 / 359, 0.45, 0.55))
    return Style(shade, MARKERS[chance % len(MARKERS)], LINES[chance // 16 % len(LINES)])
