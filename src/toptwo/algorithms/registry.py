"""The literature by name: what each algorithm is made of, where it comes from and what is proven of it."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from toptwo import checks
from toptwo.algorithms import competitors as other
from toptwo.algorithms import top_two_rules as top_two
from toptwo.algorithms.base import Algorithm
from toptwo.errors import InputError


class Listing(NamedTuple):
    """One row of the table of contents."""

    name: str
    build: Callable[..., Any]
    paper: str
    rules: str
    """What it is made of."""
    correct: str
    """What makes it wrong with probability at most δ."""
    optimal: str = ""
    """Asymptotic optimality, as δ → 0; of Top Two rules for distinct means (docs/algorithms.md: in which families)."""
    finite: str = ""
    """Its bound when δ is fixed (paper, table 1, whose symbols these are; TTUCB's is that of docs/upper-bounds.md)."""
    deterministic: bool = False
    """Whether it draws nothing, ties aside."""
    cost: str = "O(K)"
    """Time of a round, or of a pull."""
    variants: bool = False
    """Whether the prefixes T-, S- and A- apply."""

    @property
    def guarantee(self) -> str:
        """Return what is proven, in one line."""
        return "; ".join(part for part in (self.correct, self.optimal, self.finite) if part)


_THRESHOLD = "by the threshold"
_OWN = "by its own rule"
_OWN_UNPROVEN = "not proven"
_BETA_OPTIMAL = "β-optimal"
_OPTIMAL = "optimal"
_GAPS = "Σ Δ⁻² ln ln Δ⁻¹, in probability"


def _top_two(name: str, build: Callable[..., Any], paper: str, rules: str, optimal: str = "", **more: Any) -> Listing:
    return Listing(name, build, paper, rules, _THRESHOLD, optimal, variants=True, **more)


_LISTINGS = (
    _top_two(
        "TTUCB",
        top_two.TTUCB,
        "Jourdan & Degenne 2023",
        "UCB(g_m) + TC + tracking",
        _BETA_OPTIMAL,
        finite="H ln H",
        deterministic=True,
    ),
    _top_two("T3C", top_two.T3C, "Shang et al. 2020", "TS + TC + sampling", _BETA_OPTIMAL),
    _top_two("TTTS", top_two.TTTS, "Russo 2016", "TS + RS + sampling", _BETA_OPTIMAL),
    _top_two("EB-TC", top_two.EBTC, "Jourdan et al. 2022", "EB + TC + sampling", _BETA_OPTIMAL),
    _top_two("EB-TCI", top_two.EBTCI, "Jourdan et al. 2022", "EB + TCI + sampling", _BETA_OPTIMAL),
    _top_two("TTEI", top_two.TTEI, "Qin et al. 2017", "EI + EI over leader + sampling", _BETA_OPTIMAL),
    _top_two(
        "TTPS", top_two.TTPS, "Russo 2016", "PS + second PS + sampling", "posterior at the β-optimal rate", cost="O(K²)"
    ),
    _top_two(
        "TT-IMED", top_two.TTIMED, "Jourdan & Degenne 2023, 3.3", "regret(IMED) + TC + tracking", deterministic=True
    ),
    _top_two(
        "TT-MOSS", top_two.TTMOSS, "Jourdan & Degenne 2023, 3.3", "regret(MOSS) + TC + tracking", deterministic=True
    ),
    _top_two(
        "EB-TCe",
        top_two.EBTCe,
        "Jourdan et al. 2023",
        "EB + TC with slack + tracking",
        "β-optimal at the margin ε₀",
        deterministic=True,
    ),
    Listing(
        "AT2",
        top_two.AT2,
        "Bandyopadhyay et al. 2024",
        "EB + TC + anchored, explores",
        _THRESHOLD,
        _OPTIMAL,
        deterministic=True,
    ),
    Listing("TT-LE", top_two.TTLE, "here", "UCB(g_m) + LE + IDS + tracking", _THRESHOLD, deterministic=True),
    Listing(
        "TaS", other.TaS, "Garivier & Kaufmann 2016", "w*(μ̂) + D-tracking", _THRESHOLD, _OPTIMAL, deterministic=True
    ),
    Listing(
        "TaS-C",
        partial(other.TaS, "cumulative"),
        "Garivier & Kaufmann 2016",
        "w*(μ̂) + C-tracking",
        _THRESHOLD,
        _OPTIMAL,
        deterministic=True,
    ),
    Listing(
        "FWS", other.FWS, "Wang et al. 2021", "Frank–Wolfe steps + tracking", _THRESHOLD, _OPTIMAL, "e^K H^{19/2}", True
    ),
    Listing("DKM", other.DKM, "Degenne et al. 2019", "AdaHedge against nature", _THRESHOLD, _OPTIMAL, "K T*²", True),
    Listing(
        "EBS",
        other.EBS,
        "Barrier et al. 2022",
        "w*(cautious ν) + C-tracking",
        _THRESHOLD,
        _OPTIMAL,
        "K H⁴/w²_min, on an event",
        True,
        "O(K) to O(K²)",
    ),
    Listing("LUCB", other.LUCB, "Jourdan & Degenne 2023, 4", "î and highest U, both", _THRESHOLD, deterministic=True),
    Listing("1/2-LUCB", other.BetaLUCB, "Jourdan & Degenne 2023, 4", "î or highest U, by a draw", _THRESHOLD),
    Listing("LUCB1", other.LUCB1, "Kalyanakrishnan et al. 2012", "LUCB, own bounds", _OWN, "", "H ln H", True),
    Listing("KL-LUCB", other.KLLUCB, "Kaufmann & Kalyanakrishnan 2013", "LUCB, KL bounds", _OWN, deterministic=True),
    Listing("UGapE", other.UGapE, "Gabillon et al. 2012", "least gap index", _OWN, "", "H ln H, in probability", True),
    Listing(
        "SE",
        other.SuccessiveElimination,
        "Even-Dar et al. 2006",
        "round robin, drops arms",
        _OWN,
        "",
        "Σ Δ⁻² ln(K/(δΔ)), in probability",
        True,
    ),
    Listing(
        "lilUCB",
        other.LilUCB,
        "Jamieson et al. 2014",
        "LIL bounds, one takes all",
        "its own rule, as δ → 0",
        "",
        _GAPS,
        True,
    ),
    Listing(
        "lilUCB-heuristic",
        partial(other.LilUCB, True),
        "Jamieson et al. 2014",
        "the same, tuned",
        _OWN_UNPROVEN,
        deterministic=True,
    ),
    Listing(
        "Exp-Gap",
        other.ExpGap,
        "Karnin et al. 2013",
        "phases, median elimination",
        _OWN,
        "",
        _GAPS,
        True,
        "O(K²) a phase",
    ),
    Listing(
        "Peace",
        other.Peace,
        "Katz-Samuels et al. 2020",
        "phases by Gaussian width",
        _OWN,
        "T* ln(1/δ) up to a factor",
        "H ln(K/Δ_min), in probability",
        True,
        "O(K) a phase",
    ),
    Listing("uniform", other.Uniform, "baseline", "round robin", _THRESHOLD, "", "paper, theorem 5", True, "O(1)"),
)

REGISTRY: dict[str, Listing] = {listing.name: listing for listing in _LISTINGS}

CONSTRUCTORS: dict[str, Callable[..., Any]] = {
    listing.build.__name__: listing.build for listing in _LISTINGS if not isinstance(listing.build, partial)
}
"""What `import toptwo` offers of them, under the names they have in Python."""

PREFIXES: dict[str, dict[str, Any]] = {
    "T-": {"choice": "tracking"},
    "S-": {"choice": "sampling"},
    "A-": {"beta": "ids"},
}
"""Variants of a Top Two algorithm: forced tracking, forced sampling, adaptive proportions (IDS)."""


def algorithms() -> dict[str, Listing]:
    """Return every algorithm by name; T-, S- and A- may be put before the names of Top Two rules.

    Examples
    --------
    >>> algorithms()["TTUCB"].paper
    'Jourdan & Degenne 2023'
    """
    return dict(REGISTRY)


def variants() -> list[str]:
    """Return all names: each algorithm, and each Top Two rule tracking, sampling and adaptive."""
    names = list(REGISTRY)
    for listing in _LISTINGS:
        if listing.variants:
            names += [prefix + listing.name for prefix in ("T-", "S-", "A-T-", "A-S-")]
    return names


def resolve(algorithm: str | Algorithm) -> Any:
    """Return the algorithm for a name, prefixes included, or the object itself.

    Examples
    --------
    >>> resolve("A-T3C").proportion
    InformationDirected()
    """
    if not isinstance(algorithm, str):
        if isinstance(algorithm, type) or not (hasattr(algorithm, "next_pull") or hasattr(algorithm, "bind")):
            raise InputError(f"algorithm must be a name or an object with a method next_pull, not {algorithm!r}.")
        return algorithm
    options: dict[str, Any] = {}
    name = algorithm.strip().replace("½", "1/2")
    while name[:2].upper() in PREFIXES and checks.fold(name) not in {checks.fold(key) for key in REGISTRY}:
        options |= PREFIXES[name[:2].upper()]
        name = name[2:]
    listing = checks.one_of("algorithm", name, REGISTRY)
    if options and not listing.variants:
        raise InputError(
            f"algorithm {algorithm!r}: the prefixes T-, S- and A- need a Top Two rule; use {listing.name!r}."
        )
    return listing.build(**options)
