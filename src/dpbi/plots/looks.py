"""How each mechanism looks in the book: colour and marker, names, and the parameters of its law in the explorer.

A mechanism without a row is drawn in grey, and the explorer and the gallery leave it out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, cast

from ..checks import need, readable
from ..mechanisms import MECHANISMS, NoisyCounts
from ..mechanisms.gaussian_noise import GaussianNoise


@readable
class Look(NamedTuple):
    """How one mechanism looks.

    Attributes:
        color: Its colour in every figure of the book.
        marker: Its marker there.
        words: Its name in prose.
        about: One line, without formulas, on its law for two categories.
        meaning: One line with formulas.
        letters: Its names in the sources, by source.
        law: Its law for two categories, where it is no subclass of ``NoisyCounts``: the name of one with the same law,
            or the name of a rate or of a channel of records that the explorer knows.
    """

    color: str
    marker: str
    words: str
    about: str
    meaning: str
    letters: Mapping[str, str]
    law: str | Mapping[str, Any] = ""


# Each colour has a contrast of at least 3 with white and with the dark page, and any two stay apart for colour-blind
# eyes; the markers say the same thing without colour. Noise on the counts is mostly cool, the exponential kind warm.
# fmt: off
LOOKS: Mapping[str, Look] = {
    "lszhang": Look("#7F7F7F", "v", "Laplace noise, four times as wide (LSZhang)",
        "Laplace noise of scale 4/ε on the first count, rounded down",
        r"floored Laplace noise of scale $2k/\varepsilon$",
        {"notes": "LSZhang"}),
    "lsdim": Look("#A34615", "<", "Laplace noise, twice as wide (LSDim)",
        "Laplace noise of scale 2/ε, rounded down",
        r"floored Laplace noise of scale $k/\varepsilon$",
        {"notes": "LSDim"}),
    "lshist": Look("#4C55D9", "s", "Laplace noise on the histogram (LSHist)",
        "Laplace noise of scale 1/ε, rounded down",
        r"floored Laplace noise of scale $1/\varepsilon$ for two categories, $2/\varepsilon$ for more",
        {"notes": "LSHist", "hellinger": "improved baseline"}),
    "geometric": Look("#00A0B6", "P", "geometric noise",
        "two-sided geometric noise",
        "two-sided geometric noise in place of floored Laplace noise",
        {}),
    "staircase": Look("#7D5581", "p", "staircase noise",
        "staircase noise, in steps of two",
        "noise that falls in steps of two, in place of floored Laplace noise",
        {"elsewhere": "staircase mechanism {cite}`geng2016`"}),
    "discrete_gaussian": Look("#957BFE", ">", "discrete Gaussian noise",
        "discrete Gaussian noise of variance 1/ε²",
        r"noise $z$ with weight $e^{-\varepsilon^2 z^2 / (2s)}$, which promises $\varepsilon^2/2$ of $\rho$",
        {"elsewhere": "discrete Gaussian {cite}`canonne2020`"}),
    "laplace_in_order": Look("#8420FD", "D", "Laplace noise, counts filled in order",
        "counts filled in order; lsdim, for two categories",
        "floored Laplace noise, the counts filled in order so that the total stays $n$",
        {"hellinger": "Laplace mechanism, section 6.2"},
        "lsdim"),
    "lattice_laplace": Look("#778BE0", "X", "lattice noise",
        "noise on the lattice; geometric, for two categories",
        "noise on all counts at once, with the sum zero, then the nearest legal counts",
        {},
        "geometric"),
    "ehd": Look("#FF5000", "o", "exponential mechanism (EHD)",
        "exponential, weight exp(−εH / (2 GS)), GS exact for the prior and n",
        r"exponential mechanism, weight $\exp(-\varepsilon H / (2\,GS))$, $GS$ exact for the prior and $n$",
        {"notes": "EHD", "hellinger": r"$\mathcal{M}_E$"},
        {"rate": "global", "knobs": ["sensitivity"]}),
    "ehdl": Look("#A5904F", "^", "exponential, local sensitivity (EHDL)",
        "exponential, weight exp(−εH / (2 LS(x)))",
        "the same with the local sensitivity in place of the global one",
        {"notes": "EHDL", "hellinger": r"$\mathcal{M}_E^{\text{local}}$"},
        {"rate": "local"}),
    "ehds": Look("#739F1E", "*", "exponential, smooth sensitivity (EHDS)",
        "exponential, weight exp(−εH / (c S(x))), S the reciprocal smooth sensitivity",
        r"the same with the reciprocal smooth sensitivity, and a divisor of 4 or $2(1+\gamma)$",
        {"notes": "EHDS"},
        {"rate": "reciprocal", "knobs": ["gamma", "divisor"], "divisor": 4}),
    "smoothed_hellinger": Look("#BF3051", "h", "exponential, smooth in another way (M_H)",
        "exponential, weight exp(−εH / (c S(x))), S the exponential smooth sensitivity",
        "the same with the exponential smooth sensitivity",
        {"hellinger": r"$\mathcal{M}_{\mathcal{H}}$"},
        {"rate": "smooth", "knobs": ["delta", "divisor"], "divisor": 2}),
    "permute_and_flip": Look("#F258B3", "H", "permute and flip",
        "permute and flip, heads with exp(−εH / (2 GS))",
        r"candidates in random order, each taken with probability $\exp(-\varepsilon H / (2\,GS))$",
        {"elsewhere": "permute-and-flip {cite}`mckenna2020`"},
        {"flip": "global"}),
    "randomised_response": Look("#9739A3", "d", "randomised response",
        "every record answers at random: the truth with odds e^ε to one",
        r"every record says a category, the true one with odds $e^{\varepsilon}$ to each other one",
        {"elsewhere": "randomised response {cite}`warner1965`"},
        {"channel": "odds"}),
}
# fmt: on
"""The looks by the names of the mechanisms."""


def pattern(name: str) -> dict[str, Any]:
    """The parameters of a law at two categories, from which the explorer of the book computes it.

    >>> pattern("staircase"), pattern("lattice_laplace")["scale"], pattern("ehdl")
    ({'upper': (0, 1), 'lower': (1, 1), 'scale': 1}, 1, {'rate': 'local'})
    """
    law = LOOKS[name].law or name
    if not isinstance(law, str):
        return dict(law)
    same = MECHANISMS[law]
    need(issubclass(same, NoisyCounts), f"law of {name} must be given, as it is no noise on the counts, got none")
    noisy = cast(type[NoisyCounts], same)
    noise = noisy.noise
    weights = {"gaussian": True} if isinstance(noise, GaussianNoise) else {"upper": noise.upper, "lower": noise.lower}
    return {**weights, "scale": noisy.scale(2)}
