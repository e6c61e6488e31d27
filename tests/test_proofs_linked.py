"""The sides of statements agree with the definitions in the theorems that were checked by Coq.

At the cases of a statement, a side is computed as an Arb ball, and Coq proves by its own interval arithmetic that the
definition in the theorem lies within 1e-12 of that ball.
"""

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any, NamedTuple

import flint
import pytest

from coq import GOALS, coqc, exact, needs_coq
from dpbi import arithmetic
from dpbi.accuracy import steps_within
from dpbi.claims import BY_ID
from dpbi.claims.cases import given
from dpbi.claims.posterior_sampling.networks import GRAPHS
from dpbi.claims.private_mcmc.definitions import CHANNELS
from dpbi.model import local_sensitivity

EXACT, PRINTED, INSTEAD = 0, 1, 2
FEW, MOST = 3, 200
"""As many cases of each statement, and so many records: Coq writes whole numbers one by one."""
BY_STEPS = 6
"""So many records where there is a term for every step."""


class Link(NamedTuple):
    """A side of a statement, and what it is in Coq at a case."""

    id: str
    coq: Callable[[dict[str, Any]], str]
    side: int = PRINTED
    most: int = MOST
    repair: int | None = None
    """Which of the bodies of what holds it is a side of, if it is not one of the statement's own."""

    @property
    def of(self) -> Any:
        """The statement, or what holds instead of it: what has a body and cases."""
        return BY_ID[self.id] if self.repair is None else BY_ID[self.id].repairs[self.repair]


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
        found = local_sensitivity(given(case["prior"]), given(case["counts"]))
        return exact(Fraction(found.mid().str(30, radius=False)))


def sharper(case: dict[str, Any], sensitivity: str = "sqrt (1 - PI / 4)") -> str:
    n, _, down, up = steps(case)
    return f"upper_sharp {exact(case['epsilon'])} ({sensitivity}) {n} {down} {up}"


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
    Link("notes/4.5-lshist", tails, INSTEAD),
    Link("notes/4.5-lszhang", lambda case: tails(case, 4), INSTEAD),
    Link("notes/4.5-lshist-lower", lower, INSTEAD),
    Link("notes/4.5-lszhang-lower", lambda case: lower(case, 4), INSTEAD),
    Link("notes/4.5-ehd-lower", share, INSTEAD),
    Link("notes/4.5-ehdl-lower", share, INSTEAD),
    Link("notes/4.5-ehd-upper", sharper, INSTEAD),
    Link("notes/4.5-ehdl-upper", lambda case: sharper(case, local(case)), INSTEAD),
    Link("notes/4.5-ehdl-upper", upper),
    Link("notes/4.5-ehdl-upper", lambda case: by_steps("local_upper", case), most=BY_STEPS, repair=0),
    Link("notes/4.5-ehdl-upper", balanced, most=BY_STEPS, repair=1),
    Link("notes/4.5-ehdl-lower", lambda case: by_steps("local_lower", case, total(case)), most=BY_STEPS, repair=0),
    Link("hellinger/4.1.2", lambda case: f"{exact(case['epsilon'])} / 2 * half_epsilons_most constants.gamma_0",
        repair=0),
    Link("private-mcmc/def-4-zcdp",
        lambda case: f"{exact(case['epsilon'])} * tanh ({exact(case['epsilon'])} / 2) * {exact(case['alpha'])}"),
    Link("beyond/6-a-coin", lambda case: (f"/ 2 * geo (exp (- {exact(case['epsilon'])})) ({case['j']}) + "
        f"/ 2 * geo (exp (- {exact(case['epsilon'])})) ({case['j']} + 1)")),
    Link("hellinger/3-laplace", lambda case: f"{exact(case['epsilon'])} / 2", INSTEAD),
    Link("posterior-sampling/theorem-7.1", lambda case: f"2 * {odd(case['step'])} * 1"),
    Link("posterior-sampling/theorem-8.1", lambda case: f"2 * {odd(case['step'])} * 1"),
    Link("posterior-sampling/theorem-8.1", lambda case: f"tanh ({odd(case['step'])} * 1 / 2)", repair=0),
    Link("posterior-sampling/corollary-10.1", lambda case: f"INR {case['N']}%nat * (2 * {odd(case['step'])} * 1)",
        INSTEAD),
    Link("posterior-sampling/corollary-10.1",
        lambda case: f"/ 2 * INR {case['N']}%nat * (({(L := odd(case['step']))} * 1) * ({L} * 1)) * {case['order']}",
        repair=0),
    Link("posterior-sampling/lemma-24", lambda case: f"ln (/ {exact(least(case))})"),
    Link("posterior-sampling/lemma-24", lambda case: f"networks.step 2 {exact(least(case))}", INSTEAD),
    Link("posterior-sampling/lemma-24-classical",
        lambda case: f"2 * Sum {len(GRAPHS[case['graph']])} (networks.step_of {exact(case['least'])} (fun _ => 2%nat))",
        INSTEAD),
    Link("private-mcmc/thm-2-renyi", renyi),
    Link("private-mcmc/thm-2-renyi", renyi_after, EXACT),
)  # fmt: skip


def cases(link: Link) -> list[dict[str, Any]]:
    """Cases spread over those of the statement, not too large for Coq."""
    fit = [dict(case) for case in link.of.cases if sum(case.get("counts") or ()) <= link.most]
    return fit[:: -(-len(fit) // FEW)]


def within(link: Link, case: dict[str, Any]) -> tuple[str, str]:
    """The ends of the interval in which a side lies, as fractions of few digits: Coq is slow to read."""
    with arithmetic.balls():
        found = link.of.body(**{name: given(value) for name, value in case.items()})[link.side]
        side = found if link.side == EXACT else found.value
    middle = Fraction(flint.arb(side).mid().str(40, radius=False))
    unit = Fraction(10) ** (math.floor(math.log10(max(abs(middle), 1))) - 13)
    return exact((math.floor(middle / unit) - 1) * unit), exact((math.ceil(middle / unit) + 1) * unit)


FILES = (
    "accuracy.lshist accuracy.exponential_error accuracy.local_error model.beta_growth accuracy.constants "
    "mechanisms.geometric mechanisms.exponential posterior_sampling.networks guarantees.concentrated"
)
UNFOLDED = (
    "tails, share, ceiling, upper_sharp, accuracy.constants.G, accuracy.constants.gamma_0, half_epsilons_most, geo, "
    "tanh, sinh, cosh, networks.step, networks.step_of, renyi, remap, Rpower, "
    "local_upper, local_upper_balanced, local_lower, outside, "
    "accuracy.local_error.within, weights, slope_or_one, slope_or, grown, distance_of"
)
HEAD = GOALS.format(files=FILES, definitions=UNFOLDED)


@needs_coq
@pytest.mark.slow
def test_the_sides_of_statements_are_those_of_the_theorems():
    goals = [HEAD]
    for link in LINKS:
        for case in cases(link):
            low, high = within(link, case)
            goals.append(f"(* {link.id} *) Goal {low} <= {link.coq(case)} <= {high}.\nProof. number. Qed.")
    assert len({link.id for link in LINKS}) >= 12
    assert len(goals) > 60
    assert coqc("linked", "\n".join(goals)) == ""
