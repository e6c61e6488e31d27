"""Misprints of the notes, steps of their proofs that fail, and a case of each."""

from typing import Any

from ...accuracy import closer_than, error_below, error_quantile
from ...arithmetic import exp, number
from ...mechanisms import ehd, lshist
from ...model import farthest_neighbour, local_sensitivity
from ..quantities import floor_within, printed_sensitivity
from ..statement import Erratum, Side, above, at_least, at_most, below, equal
from .corollaries import printed_rate

FLAT = (1, 1)


def epsilon() -> Any:
    """Where the errata are computed, in the arithmetic that is current."""
    return number("0.8")


def sensitivity_at_an_end() -> tuple[Any, Side]:
    """LS(x) at a thousand million records, all in one category."""
    return local_sensitivity(number(FLAT), number((0, 10**9))), below(number("0.3"))


def error_at_an_end() -> tuple[Any, Side]:
    """ELap(x) over epsilon LS(x) at x = (0, 2): all noise below 1 is cut back to x itself."""
    prior, counts = number(FLAT), number((0, 2))
    error = error_quantile(lshist(epsilon()), prior, counts, exp(-epsilon()))
    return error / (epsilon() * local_sensitivity(prior, counts)), equal(1 / epsilon())


def nearer_than_a_neighbour() -> tuple[Any, Side]:
    """Of the single record x = (1, 0), which stays with probability one half."""
    prior, counts = number(FLAT), number((1, 0))
    exact = closer_than(lshist(epsilon()), prior, counts, farthest_neighbour(prior, counts))
    return exact, at_least(floor_within(epsilon(), 1))


def last_step() -> tuple[Any, Side]:
    """The two sides but for what both share."""
    return exp(printed_rate(epsilon())), below(exp(epsilon()))


def upper_for_lower() -> tuple[Any, Side]:
    """Four records of either category, no step inside t."""
    exact = error_below(ehd(epsilon(), printed_sensitivity()), number(FLAT), number((4, 4)), number("0.1"))
    return exact, at_least(exp(printed_rate(epsilon())) / 8)


def local_bound_on_ehd() -> tuple[Any, Side]:
    """A single record, no step inside t."""
    exact = error_below(ehd(epsilon(), printed_sensitivity()), number(FLAT), number((0, 1)), number("0.3"))
    return exact, above(1)


def good_candidates_of_ehd() -> tuple[Any, Side]:
    """At x = (1, 999) the step up is much shorter than the step down."""
    prior, counts, rate = number(FLAT), number((1, 999)), printed_rate(epsilon())
    near = farthest_neighbour(prior, counts)
    exact = closer_than(ehd(epsilon(), printed_sensitivity()), prior, counts, near, ties=True)
    return exact, at_most((2 * exp(-rate * local_sensitivity(prior, counts)) + 1) * exp(rate) / 1000)


ERRATA = (
    Erratum(
        "undated version, Algorithm 2",
        r"the last line uses $\eta_i$, which is never defined",
        r"each $\eta_i$ is drawn once, before, as in the dated version; with fresh noise the total would not be n",
    ),
    Erratum(
        "undated version, Algorithm 4",
        r"$\exp(-\varepsilon \mathcal H(x, r') / (2\, GS))$ in the numerator, with the summation variable $r'$",
        r"$r$ in place of $r'$, as in the dated version",
    ),
    Erratum(
        "Theorem 4.2, proof",
        r"$\frac{ELap(x)}{\varepsilon\, LS(x)} = \frac{1}{\varepsilon}$ when $\gamma = e^{-\varepsilon}$",
        r"$\le \frac1\varepsilon$: ELap is 0 where the noise is cut back to x itself",
        error_at_an_end,
    ),
    Erratum(
        "Theorem 4.2, proof",
        r"$\Pr[H < LS(x)] \ge 1 - \tfrac12(e^{-\varepsilon} + e^{-2\varepsilon})$",
        r"$\Pr[H \le LS(x)]$: a strict inequality excludes the neighbours at distance LS(x)",
        nearer_than_a_neighbour,
    ),
    Erratum(
        "Theorem 4.5, proof",
        r"$\lim_{n \to \infty} LS(x) = 0$",
        r"$LS(x) \le \frac{1}{2\sqrt c}$, $c = \min(\alpha_1 + x,\ \alpha_2 + n - x) - 1 > 0$; at x = (0, n) it falls to 0.3373",
        sensitivity_at_an_end,
    ),
    Erratum(
        "Theorem 4.5, proof, last step; Corollary 4.5.3, proof, last step",
        r"$\frac{m}{n \exp(-\varepsilon/(2\sqrt{1 - \pi/4}))} < \frac{m}{n \exp(-\varepsilon)}$ with m = 2k + 1, and with m = 3",
        r"the reverse, as $2\sqrt{1 - \pi/4} = 0.9265 < 1$",
        last_step,
    ),
    Erratum(
        "version of March 12, 2020, Theorem 4.5, proof, lower chain",
        r"$\Pr[H < t] \ge \frac{2k \exp(-0\varepsilon/(2G)) + 1}{n \exp(-\varepsilon/(2G))}$",
        "what the chain before gives as an upper bound; a lower bound needs the least weight above and the largest below",
        upper_for_lower,
    ),
    Erratum(
        "version of March 12, 2020, Theorem 4.5, third line",
        r"$\frac{2k \exp(-\varepsilon/(2\,LS(x))) + 1}{n} < \Pr[H(x, \mathrm{EHD}(x)) < t] < \frac{2k + 1}{n \exp(-\varepsilon/(2\,LS(x)))}$",
        r"EHDL in place of EHD, as in the other version; for EHD the right one holds where $LS(x) \le G$ and at most as many steps down as up are inside t",
        local_bound_on_ehd,
    ),
    Erratum(
        "Corollary 4.5.3, proof, first inequality",
        r"$\Pr[\mathrm{EHD} \in R_g] \le \frac{2 e^{-\varepsilon LS(x)/(2G)} + 1}{n\, e^{-\varepsilon/(2G)}}$",
        "3 in the numerator, as in the next bound of the chain: the nearer neighbour weighs more than the farther one",
        good_candidates_of_ehd,
    ),
)
