"""What the answers on the foundations, the notes and the Hellinger mechanism state."""

import math

import dpbi
from path_numbers import most

FLAT = [1, 1]
PRINTED = dpbi.PRINTED_GLOBAL_SENSITIVITY


def leaks(mechanism, n, prior=FLAT):
    return float(dpbi.audit(mechanism, prior, n).epsilon)


def probability(mechanism, counts, first):
    law = mechanism.law(FLAT, counts)
    return float(law.probabilities[law.outputs[:, 0] == first].sum())


def local(x, y):
    return float(dpbi.local_sensitivity(FLAT, [x, y]))


def smoothness(epsilon, delta, n):
    """The gamma of the definition, from its closed form."""
    return math.log(1 - epsilon / (2 * math.log(delta / (2 * (n + 1)))))


def first_size(epsilon, k=2):
    """The size of the first corollary, from its closed form."""
    return (2 * k + 1) * math.exp(epsilon) / (1 - math.exp(-k * epsilon))


def ahead(n, t=1e-9):
    """Whether LSHist is exact more often than EHD at every dataset of n records with both categories."""
    noise, chosen = dpbi.lshist(1.0), dpbi.ehd(1.0, sensitivity=PRINTED)
    inside = [[1 - dpbi.error_tail(each, FLAT, [x, n - x], t) for each in (noise, chosen)] for x in range(1, n)]
    return all(one > other for one, other in inside)


def first_ahead():
    """From which n on the corrected bounds put LSHist ahead of EHD, no step being inside."""
    p = (1 - math.exp(-1)) / 2
    n = math.ceil(1 + math.exp(1 / (2 * PRINTED)) * (1 - p) / p - 1)
    assert all(ahead(size) for size in range(n, n + 6))
    return n


def two_and_three_steps():
    """Between these errors two steps from (20, 20) are inside and three are not."""
    return (float(dpbi.hellinger([21, 21], [21 + steps, 21 - steps])) for steps in (2, 3))


def two_steps_inside(mechanism):
    t = sum(two_and_three_steps()) / 2
    return 1 - dpbi.error_tail(mechanism, FLAT, [20, 20], t)


def one_step_over_none(factor):
    """Table 1, one step against none: weights e^(-0.8 H / LS), or half of that exponent."""
    law = dpbi.ehdl(1.6 / factor)  # which divides by 2 LS
    return (probability(law, [4, 4], 3) + probability(law, [4, 4], 5)) / probability(law, [4, 4], 4)


def budget(make, n):
    """The internal budget at which a mechanism leaks 0.8."""
    low, high = 0.1, 4.0
    while high - low > 1e-6:
        middle = (low + high) / 2
        low, high = (middle, high) if leaks(make(middle), n) < 0.8 else (low, middle)
    return low


GAMMA = (math.exp(-1) + math.exp(-2)) / 2
SMOOTH = smoothness(0.8, 1e-8, 20)
ANSWERS = {
    "foundations/first_release": [
        lambda: [1.6, math.exp(1.6), 100 * most(1.6)],
        lambda: [dpbi.mean_error(dpbi.lshist(0.8), FLAT, x) for x in ([14, 6], [140, 60])],
    ],
    "foundations/sensitivity": [lambda: [local(1, 0)], lambda: [local(40, 40)]],
    "foundations/promise_and_audit": [lambda: [leaks(dpbi.ehd(0.8), 1)], lambda: [budget(dpbi.ehd, 20)]],
    "notes/privacy_of_the_mechanisms": [
        lambda: [0.8 / leaks(dpbi.lsdim(1), 20), 0.8 / leaks(dpbi.lszhang(1), 20)],
        lambda: [leaks(dpbi.ehd(0.8, sensitivity=PRINTED), 1, [1e-9, 1e-9]) / 0.8],
    ],
    "notes/error_of_the_laplace_mechanism": [
        lambda: [math.ceil(math.log(20)), 1.1183 * math.ceil(math.log(20))],
        lambda: [probability(dpbi.lshist(1), [0, 40], 0), probability(dpbi.lshist(1), [40, 0], 40)],
    ],
    "notes/errors_in_steps": [
        lambda: [math.log(10) / 0.8, 2, 3, math.log(10) / 2],
        lambda: [GAMMA, -math.log(GAMMA)],
    ],
    "notes/theorem_4_5": [
        lambda: [two_steps_inside(dpbi.lshist(1.0))],
        lambda: [5 / 41, (4 * math.exp(-0.01) + 1) / 40],
    ],
    "notes/crossovers": [
        lambda: [math.log(3) / 2, first_size(math.log(3) / 2)],
        lambda: [probability(dpbi.lshist(1), [20, 20], 20), first_ahead()],
    ],
    "hellinger/smoothed_mechanism": [
        lambda: [leaks(dpbi.smoothed_hellinger(0.8, 1e-8, divisor), 1) for divisor in (2, 1)],
        lambda: [SMOOTH, math.ceil(math.log(2) / SMOOTH)],
    ],
    "hellinger/concrete_epsilon": [
        lambda: [budget(lambda inner: dpbi.smoothed_hellinger(inner, 5e-4, 2), 1)],
        lambda: [100 * most(0.8), 100 * most(leaks(dpbi.smoothed_hellinger(0.8, 5e-4, 2), 180))],
    ],
    "hellinger/tables_and_figures": [
        lambda: [one_step_over_none(1), one_step_over_none(2)],
        lambda: [0.4, dpbi.mean_error(dpbi.geometric(0.8), FLAT, [8000, 72000])],
    ],
}
"""By page and exercise, the numbers of its answer."""
