"""The right sides of the claims are the definitions that the theorems are about.

At the cases of a claim its side is computed as an Arb ball, and Coq proves, by its own interval arithmetic, that the
definition of the theorem lies within 1e-12 of it. With a wrong constant or exponent it lies outside, which Coq proves.
"""

import math
import re
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any, NamedTuple

import flint

from coq import GOALS, PROOFS, coqc, exact, needs_coq
from dpbi import arithmetic
from dpbi.accuracy import steps_within
from dpbi.claims import BY_ID
from dpbi.claims.claim import _given
from dpbi.claims.posterior_sampling.networks import GRAPHS
from dpbi.claims.private_mcmc.composition import CHANNELS
from dpbi.model import local_sensitivity

BOUND, EXACT = 1, 0
FEW, MOST = 6, 200
"""As many cases of each claim, and so many records: Coq writes whole numbers one by one."""
BY_STEPS = 6
"""So many records where there is a term for every step."""


class Link(NamedTuple):
    """A side of a claim, and what it is in Coq at a case; ``wrong`` is a mutant of that."""

    claim: str
    coq: Callable[[dict[str, Any]], str]
    wrong: tuple[str, str]
    side: int = BOUND
    most: int = MOST


def steps(case: dict[str, Any]) -> tuple[str, str, str, str]:
    """n, x, and the steps down and up that are inside t."""
    down, up = steps_within(case["prior"], case["counts"], case["t"])
    return tuple(f"{number}%nat" for number in (sum(case["counts"]), case["counts"][0], down, up))


def tails(case: dict[str, Any], quarter: int = 1) -> str:
    n, x, down, up = steps(case)
    return f"tails ({exact(case['epsilon'])} / {quarter}) {n} {x} {down} {up}"


def lower(case: dict[str, Any], quarter: int = 1) -> str:
    _, _, down, up = steps(case)
    return f"1 - exp (- (INR (Nat.min {down} {up}) * ({exact(case['epsilon'])} / {quarter})))"


def share(case: dict[str, Any]) -> str:
    n, _, down, up = steps(case)
    return f"share {n} {down} {up}"


def local(case: dict[str, Any]) -> str:
    with arithmetic.balls():
        return exact(
            Fraction(local_sensitivity(_given(case["prior"]), _given(case["counts"])).mid().str(30, radius=False))
        )


def ceiling(case: dict[str, Any], sensitivity: str = "sqrt (1 - PI / 4)") -> str:
    n, _, down, up = steps(case)
    return f"ceiling {exact(case['epsilon'])} ({sensitivity}) {n} {down} {up}"


def sharper(case: dict[str, Any], sensitivity: str = "sqrt (1 - PI / 4)") -> str:
    return ceiling(case, sensitivity).replace("ceiling", "upper_sharp")


SLOPE = "((1 + constants.gamma_0) / 2)"


def by_steps(name: str, case: dict[str, Any], more: str = "") -> str:
    """A bound with a term for every step."""
    return f"{name} {exact(case['epsilon'])} {SLOPE} {local(case)} {more} " + " ".join(steps(case))


def total(case: dict[str, Any]) -> str:
    """N and t."""
    weights = sum(Fraction(str(weight)) for weight in case["prior"])
    return f"{exact(weights + sum(case['counts']))} {exact(case['t'])}"


def balanced(case: dict[str, Any]) -> str:
    _, half, _, up = steps(case)
    return f"local_upper_balanced {exact(case['epsilon'])} {local(case)} {half} {up}"


def upper(case: dict[str, Any]) -> str:
    n, _, _, up = steps(case)
    return f"(2 * INR {up} + 1) / (INR {n} * exp (- ({exact(case['epsilon'])} / (2 * {local(case)}))))"


def bound_of(name: str) -> Callable[..., str]:
    """An upper bound is the sharper one where the claim says at most, and the first one where it says below."""
    return sharper if BY_ID[name].relation == "<=" else ceiling


def odd(step: object) -> str:
    """L for two categories and parameters in steps: the log odds of the step."""
    smallest = exact(str(step).removeprefix("ends "))
    return f"ln ((1 - {smallest}) / {smallest})"


def least(case: dict[str, Any]) -> Fraction:
    entries = [Fraction(str(p)) for p in (case["first"], *case["second"])]
    return min(min(p, 1 - p) for p in entries)


def listed(values: Iterable[object], last: str = "0") -> str:
    """A function of whole numbers by its values."""
    return f"(fun i => nth i ({' :: '.join((*map(str, values), 'nil'))}) {last})"


def factors(case: dict[str, Any]) -> str:
    """Twice the steps of the factors that a change of the row touches."""
    parents = GRAPHS[case["graph"]]
    above = [listed((str(node in row).lower() for node in range(len(parents))), "false") for row in parents]
    rows = [listed((f"{state}%nat" for state in case[name]), "0%nat") for name in "xy"]
    graph = f"{len(parents)} {exact(case['least'])} {listed(above, '(fun _ => false)')} (fun _ => 2%nat)"
    return f"2 * networks.row_steps {graph} {' '.join(rows)}"


def responses(case: dict[str, Any]) -> list[str]:
    """The laws of two randomised answers, the second at a third of epsilon, for either input."""
    true = [f"/ (1 + exp (- ({exact(case['epsilon'])} / {share})))" for share in (1, 3)]
    first, second = ((law, f"(1 - {law})") for law in true)
    laws = [f"{a} * {b}" for a in first for b in second]
    return [listed(laws), listed(laws[::-1])]


def renyi(case: dict[str, Any]) -> str:
    return " ".join((f"renyi {exact(case['alpha'])} 4", *responses(case)))


def renyi_after(case: dict[str, Any]) -> str:
    rows = CHANNELS[case["channel"]]
    channel = listed((listed(exact(Fraction(entry, sum(row))) for entry in row) for row in rows), "(fun _ => 0)")
    after = (f"(remap 4 {law} {channel})" for law in responses(case))
    return " ".join((f"renyi {exact(case['alpha'])} {len(rows[0])}", *after))


LINKS = (
    Link("notes/4.5-lshist-corrected", tails, ("INR (up + 1)", "INR up")),
    Link("notes/4.5-lszhang-corrected", lambda case: tails(case, 4), ("/ 4)", "/ 2)")),
    Link("notes/4.5-lshist-lower-corrected", lower, ("exp (- (", "exp (- (2 * ")),
    Link("notes/4.5-lszhang-lower-corrected", lambda case: lower(case, 4), ("/ 4)", "/ 2)")),
    Link("notes/4.5-ehd-lower-corrected", share, ("INR (n + 1)", "INR n")),
    Link("notes/4.5-ehdl-lower-corrected", share, ("INR (down + up + 1)", "INR (down + up)")),
    Link("notes/4.5-ehd-upper-corrected", bound_of("notes/4.5-ehd-upper-corrected"), ("2 * G", "3 * G")),
    Link(
        "notes/4.5-ehdl-upper-corrected",
        lambda case: bound_of("notes/4.5-ehdl-upper-corrected")(case, local(case)),
        ("2 * G", "4 * G"),
    ),
    Link("notes/4.5-ehdl-upper", upper, ("2 * INR", "3 * INR")),
    Link(
        "notes/4.5-ehdl-upper-sharp",
        lambda case: by_steps("local_upper", case),
        ("eps / (2 * s)", "eps / (3 * s)"),
        most=BY_STEPS,
    ),
    Link("notes/4.5-ehdl-upper-balanced", balanced, ("eps / (2 * s)", "eps / s"), most=BY_STEPS),
    Link(
        "notes/4.5-ehdl-lower-sharp",
        lambda case: by_steps("local_lower", case, total(case)),
        ("eps / (2 * s)", "eps / (3 * s)"),
        most=BY_STEPS,
    ),
    Link(
        "hellinger/4.1.2-two-categories",
        lambda case: f"{exact(case['epsilon'])} / 2 * half_epsilons_most constants.gamma_0",
        ("/ 2 *", "/ 4 *"),
    ),
    Link(
        "private-mcmc/def-4-zcdp",
        lambda case: f"{exact(case['epsilon'])} * tanh ({exact(case['epsilon'])} / 2) * {exact(case['alpha'])}",
        ("/ 2)", "/ 4)"),
    ),
    Link(
        "notes/4.5-ehd-proof",
        lambda case: f"exp ({exact(case['epsilon'])} / (2 * accuracy.constants.G))",
        ("2 *", "3 *"),
        EXACT,
    ),
    Link(
        "beyond/6-a-coin",
        lambda case: (
            f"/ 2 * geo (exp (- {exact(case['epsilon'])})) ({case['j']}) + "
            f"/ 2 * geo (exp (- {exact(case['epsilon'])})) ({case['j']} + 1)"
        ),
        ("+ 1)", "+ 2)"),
    ),
    Link("hellinger/3-laplace-sharp", lambda case: f"{exact(case['epsilon'])} / 2", ("/ 2", "/ 3")),
    Link("posterior-sampling/theorem-7.1", lambda case: f"2 * {odd(case['step'])} * 1", ("2 *", "4 *")),
    Link("posterior-sampling/theorem-8.1", lambda case: f"2 * {odd(case['step'])} * 1", ("2 *", "4 *")),
    Link(
        "posterior-sampling/theorem-8.1-variation",
        lambda case: f"tanh ({odd(case['step'])} * 1 / 2)",
        ("* 1 / 2)", "* 1 / 4)"),
    ),
    Link(
        "posterior-sampling/corollary-10.1-corrected",
        lambda case: f"INR {case['N']}%nat * (2 * {odd(case['step'])} * 1)",
        ("(2 *", "(1 *"),
    ),
    Link(
        "posterior-sampling/corollary-10.1-concentrated",
        lambda case: (
            f"/ 2 * INR {case['N']}%nat * (({odd(case['step'])} * 1) * ({odd(case['step'])} * 1)) * {case['order']}"
        ),
        ("/ 2 * INR", "/ 8 * INR"),
    ),
    Link("posterior-sampling/lemma-24", lambda case: f"ln (/ {exact(least(case))})", ("ln (/ ", "ln (2 / ")),
    Link(
        "posterior-sampling/lemma-24-classical-corrected",
        lambda case: f"2 * Sum {len(GRAPHS[case['graph']])} (networks.step_of {exact(case['least'])} (fun _ => 2%nat))",
        ("2 * Sum", "1 * Sum"),
    ),
    Link("posterior-sampling/lemma-24-factors", factors, ("2 *", "1 *")),
    Link("private-mcmc/thm-2-renyi", renyi, ("renyi (", "renyi (1 + ")),
    Link("private-mcmc/thm-2-renyi", renyi_after, ("renyi (", "renyi (1 + "), EXACT),
    Link(
        "posterior-sampling/lemma-24-sharp", lambda case: f"networks.step 2 {exact(least(case))}", ("step 2", "step 3")
    ),
)


def cases(link: Link) -> list[dict[str, Any]]:
    """Cases spread over those of the claim, not too large for Coq."""
    fit = [dict(case) for case in BY_ID[link.claim].cases if sum(case.get("counts") or ()) <= link.most]
    return fit[:: -(-len(fit) // FEW)]


def within(link: Link, case: dict[str, Any]) -> tuple[str, str]:
    """The ends of the interval in which a side lies, as fractions of few digits: Coq is slow to read."""
    with arithmetic.balls():
        side = BY_ID[link.claim].body(**{name: _given(value) for name, value in case.items()})[link.side]
    middle = Fraction(flint.arb(side).mid().str(40, radius=False))
    unit = Fraction(10) ** (math.floor(math.log10(max(abs(middle), 1))) - 13)
    return exact((math.floor(middle / unit) - 1) * unit), exact((math.ceil(middle / unit) + 1) * unit)


FILES = (
    "accuracy.lshist accuracy.exponential_error accuracy.local_error model.beta_growth accuracy.constants "
    "mechanisms.geometric mechanisms.exponential posterior_sampling.networks guarantees.concentrated"
)
UNFOLDED = (
    "tails, share, ceiling, upper_sharp, accuracy.constants.G, accuracy.constants.gamma_0, half_epsilons_most, geo, "
    "tanh, sinh, cosh, networks.step, networks.step_of, networks.row_steps, networks.touched, renyi, remap, Rpower, "
    "local_upper, local_upper_balanced, local_lower, outside, "
    "accuracy.local_error.within, weights, slope_or_one, slope_or, grown, distance_of"
)
HEAD = GOALS.format(files=FILES, definitions=UNFOLDED)


@needs_coq
def test_the_sides_of_the_claims_are_those_of_the_theorems():
    goals = [HEAD]
    for link in LINKS:
        for case in cases(link):
            low, high = within(link, case)
            goals.append(f"(* {link.claim} *) Goal {low} <= {link.coq(case)} <= {high}.\nProof. number. Qed.")
    assert len({link.claim for link in LINKS}) >= 12
    assert len(goals) > 60
    assert coqc("linked", "\n".join(goals)) == ""


def mutant(link: Link, case: dict[str, Any], name: str) -> tuple[str, str]:
    """A definition with a wrong number, if it is one, and the expression with it."""
    right, wrong = link.wrong
    expression = link.coq(case)
    if right in expression:
        return "", expression.replace(right, wrong)
    symbol = expression.split()[0]
    sources = [path.read_text("utf-8") for path in sorted((PROOFS / "accuracy").glob("*.v"))]
    (definition,) = [
        found[0]
        for text in sources
        if (found := re.search(rf"^Definition {symbol} .*?\.$", text, re.DOTALL | re.MULTILINE))
    ]
    assert right in definition
    return definition.replace(f"Definition {symbol} ", f"Definition {name} ").replace(right, wrong), expression.replace(
        symbol, name
    )


@needs_coq
def test_a_wrong_constant_or_exponent_is_caught():
    goals = [HEAD]
    for number, link in enumerate(LINKS):
        case = next(case for case in cases(link) if telling(link, case))
        low, high = within(link, case)
        definition, expression = mutant(link, case, f"wrong_{number}")
        unfolded = f"unfold wrong_{number}; " if definition else ""
        goals += [definition, f"Goal {expression} < {low} \\/ {high} < {expression}."]
        goals.append(f"Proof. {unfolded}first [left; number | right; number]. Qed.")
    assert coqc("caught", "\n".join(goals)) == ""


def telling(link: Link, case: dict[str, Any]) -> bool:
    """Whether a case can show the mutant: some steps are inside t, and neither end is; in a sum, some are outside."""
    if "t" not in case:
        return case.get("j", 1) != 0
    down, up = steps_within(case["prior"], case["counts"], case["t"])
    if link.most == BY_STEPS:
        return down + up < sum(case["counts"])
    return min(down, up) > 0 and down < case["counts"][0] and up < case["counts"][1]
