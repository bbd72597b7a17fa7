"""`toptwo theory`: what an instance costs, printed as tables or JSON."""

from typing import Any

import click

from toptwo import checks
from toptwo.cli.common import print_json
from toptwo.cli.families import law_options, take_law
from toptwo.errors import InputError
from toptwo.families import Gaussian
from toptwo.rules.thresholds import DEFAULT_THRESHOLD


def parse_mean(text: str) -> float:
    """Return a mean from the command line, telling a negative number from a mistyped option.

    Examples
    --------
    >>> parse_mean("-1e-3")
    -0.001
    """
    try:
        return float(text)
    except ValueError:
        if text.startswith("-"):
            raise InputError(f"no such option: {text} (see toptwo theory --help).") from None
        raise InputError(f"means must be numbers, and {text!r} is none.") from None


# Unknown options are passed on as means, so that negative numbers need no "--" before them; `parse_mean` refuses what
# is neither.
@click.command(short_help="How many samples will it take?", context_settings={"ignore_unknown_options": True})
@click.argument("means", nargs=-1, required=True)
@click.option("--delta", default=0.05, show_default=True, type=float, help="Error probability.")
@click.option("--beta", default=0.5, show_default=True, type=float, help="Share of samples that the leader gets.")
@law_options
@click.option("--epsilon", default=0.0, show_default=True, type=float, help="Accept any arm this close to the best.")
@click.option(
    "--threshold", default=DEFAULT_THRESHOLD, show_default=True, help="betting, mixture or proven; heuristic has none."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
def theory(means: tuple[str, ...], as_json: bool, **question: Any) -> None:
    """Show what finding the best of arms with these MEANS costs: times, allocations, bounds, expected samples.

    Example: toptwo theory 0.6 0.5 0.45 --delta 0.05 --family bernoulli
    """
    law = take_law(question)
    found = describe(tuple(parse_mean(mean) for mean in means), family=law, **question)
    if as_json:
        print_json(found)
    else:
        _show(found)


def describe(
    means: tuple[float, ...],
    *,
    delta: float = 0.05,
    beta: float = 0.5,
    family: Any = None,
    epsilon: float = 0.0,
    threshold: Any = DEFAULT_THRESHOLD,
) -> dict[str, Any]:
    """Return everything the command prints, as plain numbers and lists.

    Examples
    --------
    >>> round(describe((0.6, 0.5, 0.45))["characteristic_time"], 3)
    913.956
    """
    from toptwo import theory as known

    plan = known.plan(means, delta, beta=beta, threshold=threshold, family=family, epsilon=epsilon)
    (fastest, free), (fixed, shared) = _times(plan, means, beta)
    found: dict[str, Any] = {
        "characteristic_time": fastest,
        "characteristic_time_beta": fixed,
        "time_ratio": fixed / fastest,
        "optimal_allocation": free,
        "optimal_allocation_beta": shared,
        "plan": plan.to_dict(),
    }
    # Hardness and the non-asymptotic bounds are statements about Gaussian rewards of one σ and one best arm.
    sigma: Any = getattr(plan.family, "sigma", None)
    if isinstance(plan.family, Gaussian) and checks.is_number(sigma) and epsilon == 0.0:
        found["hardness"] = known.hardness(means, sigma=sigma)
        found["hardness_one"] = known.hardness_one(means, sigma=sigma)
        found["upper_bounds"] = {
            "TTUCB with g_u": known.upper_bound(means, delta, beta=beta, sigma=sigma).to_dict(),
            "TTUCB with g_m": known.upper_bound_mixture(means, delta, beta=beta, sigma=sigma).to_dict(),
            "uniform": known.upper_bound_uniform(means, delta, sigma=sigma).to_dict(),
        }
    return found


def _times(plan: Any, means: tuple[float, ...], beta: float) -> list[tuple[float, list[float]]]:
    """Return T and the allocation, and the same at share β; where no formula gives them, as the plan has found them."""
    from toptwo import theory as known

    if plan.note:
        rows = [next(row for row in plan.rows if row.name == name) for name in ("A-TTUCB", "TTUCB")]
        return [(row.characteristic_time, list(row.allocation)) for row in rows]
    law: dict[str, Any] = {"family": plan.family, "epsilon": plan.epsilon}
    return [
        (float(known.characteristic_time(means, share, **law)), known.optimal_allocation(means, share, **law).tolist())
        for share in (None, beta)
    ]


def _show(found: dict[str, Any]) -> None:
    """Print the tables."""
    from rich.console import Console

    from toptwo.report.terminal import Fitted
    from toptwo.theory.planning import HEURISTIC_NOTE

    console, plan = Console(highlight=False), found["plan"]
    beta = f"{plan['beta']:g}"
    columns = zip(plan["means"], found["optimal_allocation"], found["optimal_allocation_beta"], strict=True)
    rows = [
        (str(arm), f"{mean:z.6g}", f"{free:.4f}", f"{fixed:.4f}") for arm, (mean, free, fixed) in enumerate(columns)
    ]
    head = ("arm", "mean", "optimal share", f"share at β = {beta}")
    console.print(Fitted(head, rows, f"{len(rows)} {plan['family']} arms"), "")
    labels = (("hardness H", "hardness"), ("H₁", "hardness_one"), ("T*", "characteristic_time"))
    times = [(label, f"{found[key]:.6g}") for label, key in labels if key in found]
    times += [(f"T* at β = {beta}", f"{found['characteristic_time_beta']:.6g}")]
    console.print(Fitted(("", ""), [*times, ("their ratio", f"{found['time_ratio']:.4f}")]), "")
    title = f"samples, delta = {plan['delta']:g}, threshold {plan['threshold']}"
    console.print(Fitted(("what", "samples", "from"), _samples(found), title, words=(0, 2)))
    if "note" in plan:
        console.print(plan["note"])
    if plan["threshold"] == "heuristic":
        console.print(HEURISTIC_NOTE)


def _samples(found: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Return rows of expected samples and of what is proven about them."""
    from toptwo.theory.planning import amount

    rows = []
    for line in found["plan"]["rows"]:
        origin = "T* ln(1/(2.4δ))" if line["name"] == "lower bound" else "first-order forecast"
        rows.append((line["name"], amount(line["expected_samples"]), origin))
    for name, bound in found.get("upper_bounds", {}).items():
        rows.append((f"upper bound, {name}", amount(bound["value"]), f"{bound['dominating']} (threshold proven)"))
    return rows
