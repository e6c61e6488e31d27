"""Settings of the paper's experiments, and quantities that several of its statements use, in doubles or in ball
arithmetic.
"""

from ...accuracy import closer_than
from ...arithmetic import exp, number
from ...checks import need
from ...mechanisms import Mechanism, smoothed_hellinger
from ..quantities import distances

FLAT, FLAT3 = (1, 1), (1, 1, 1)

EPSILON, DELTA = 0.8, 1e-8
r"""Privacy parameters \(\varepsilon\) and \(\delta\) of the paper's experiments."""


def defined(divisor=2) -> Mechanism:
    r"""The mechanism \(\mathcal M_{\mathcal H}\) with the \(\varepsilon\) and \(\delta\) of the paper's experiments."""
    return smoothed_hellinger(number(EPSILON), number(DELTA), divisor)


def distance(prior, counts, output):
    """Hellinger distance between the posteriors of two datasets."""
    return distances(prior, counts, [output])[0]


def probability_of(mechanism, prior, counts, output):
    """Probability that a mechanism releases a given output."""
    law = mechanism.law(prior, counts)
    return exp(law.log_probabilities[law.outputs.tolist().index([int(c) for c in output])])


def probability_at_distance(mechanism, prior, counts, output):
    """Probability that the error of a mechanism equals the Hellinger distance from the truth to a given output."""
    candidate = len(output) == len(counts) and sum(output) == sum(counts) and min(output) >= 0
    need(candidate, f"output must be a dataset of as many records and categories as {counts}, got {output}")
    # the probability of outputs at most as far as the given one, minus the probability of strictly closer outputs
    return closer_than(mechanism, prior, counts, output, ties=True) - closer_than(mechanism, prior, counts, output)
