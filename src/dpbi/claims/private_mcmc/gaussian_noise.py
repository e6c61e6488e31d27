r"""Section 2.1 of the thesis: sensitivities and the Gaussian mechanism, what it loses exactly, conversions."""

from typing import Any

from ...arithmetic import exp, in_doubles, integral, largest, less, log, number, pi, sqrt
from ...guarantees import RDP, ZCDP, GaussianDP, gaussian_mechanism
from ...guarantees.gaussian import log_profile_in_doubles
from ...model.datasets import count_vectors, neighbours
from ..claim import HOLDS, Condition, grid
from ..premises import Reals, premises
from .laws import CURRENCIES, GAUSSIAN, ORDER, POSITIVE, normal_divergence
from .source import THESIS

definition_6 = THESIS.vague(
    "def-6",
    "Definition 6",
    r"\text{the Gaussian mechanism with parameter } \sigma^2 \text{ outputs, with input } x, \text{ a sample from } N(x, \sigma^2)",
    """Theorem 3 bounds a Euclidean distance of two inputs, so its inputs are vectors. In the text the input is the value of a
    function of the data.
    """,
    malformed=r"for a number the definition is right, but Theorem 3 needs it for vectors, and \(\sigma^2\) is not the covariance of a vector. It is read as a sample from \(N(f(x), \sigma^2 I)\), with the value of \(f\) as the input",
    page=GAUSSIAN,
)


@THESIS.item(
    "def-6",
    "Definition 6",
    cases=grid(gap=[(0.3, 0.4), (1, -2)], sigma=[0.5, 2], alpha=[2, 5.5]),
    calls=gaussian_mechanism,
    page=GAUSSIAN,
)
def isotropic(gap: Any, sigma: Any, alpha: Any) -> Any:
    """What the library promises of normal noise in several dimensions."""
    return gaussian_mechanism(sqrt(sum(g * g for g in gap)), sigma).rdp(alpha).values[0]


@isotropic.instead(
    r"D_\alpha\bigl(N(f(x), \sigma^2 I) \| N(f(x'), \sigma^2 I)\bigr) = \frac{\alpha \|f(x) - f(x')\|_2^2}{2\sigma^2}",
    proof=True,
)
def definition_6_corrected(gap: Any, sigma: Any, alpha: Any) -> Any:
    """Noise with the same variance in all directions depends on the Euclidean distance only. The coordinates are
    independent, and the divergences of independent outputs add up. The divergence of each coordinate is computed by
    quadrature.
    """
    return sum(normal_divergence(alpha, sigma, g) for g in gap)


ROWS = grid(n=[1, 2, 10], c=[0.5, 3])
SUMS = "sums over rows at both ends: mechanisms of the library are told their sensitivity"


@THESIS.item("thm-3-premise", "Theorem 3, premise", cases=ROWS, relation="<=", apart=SUMS, page=GAUSSIAN)
def any_two_inputs(n: Any, c: Any) -> Any:
    """The largest distance of the sums of any two inputs."""
    return largest([abs(n * a - n * b) for a in (-c, c) for b in (-c, c)])


@any_two_inputs.said(
    r"\text{for all inputs } x, x'\text{: } \|x - x'\|_2 \le \Delta\text{, with } \Delta = 2c \text{ for a sum of } n \text{ rows within } \pm c",
    condition=Condition(r"there is one row", lambda n, **_: int(n) == 1),
)
def theorem_3_premise(n: Any, c: Any) -> Any:
    """The premise as printed asks for all pairs of inputs. It fails for the sums that the algorithms release, because
    two inputs may differ in every row. The theorem needs the premise for neighbouring inputs only.
    """
    return 2 * c


@THESIS.item("thm-3-premise", "Theorem 3, premise", cases=ROWS, relation="<=", apart=SUMS, page=GAUSSIAN)
def neighbouring_inputs(n: Any, c: Any) -> Any:
    """The largest distance of the sums of two inputs that differ in one row."""
    rest = (n - 1) * c
    return largest([abs((rest + a) - (rest + b)) for a in (-c, c) for b in (-c, c)])


@neighbouring_inputs.instead(
    r"\text{for all neighbouring } x \sim x'\text{: } \|f(x) - f(x')\|_2 \le \Delta",
    tight={"n": 10, "c": 3},
    proof=True,
)
def theorem_3_premise_corrected(n: Any, c: Any) -> Any:
    """Neighbours share all rows but one. So the distance of the two sums is that of the two rows that differ, at most
    2c.
    """
    return 2 * c


@THESIS.item(
    "thm-3.1",
    "Theorem 3.1",
    cases=grid(distance=[0.2, 1], sensitivity=[1], sigma=[0.7, 3], alpha=[1.5, 4]),
    relation="<=",
    calls=gaussian_mechanism,
    page=GAUSSIAN,
    premises=premises(
        "the distance is at most the sensitivity",
        lambda distance, sensitivity, **_: not less(sensitivity, distance),
        fix=lambda distance, sensitivity, **_: {"distance": min(distance, sensitivity)},
        distance=POSITIVE,
        sensitivity=POSITIVE,
        sigma=POSITIVE,
        alpha=ORDER,
    ),
)
def divergence_within(distance: Any, sensitivity: Any, sigma: Any, alpha: Any) -> Any:
    """What the library promises of inputs at this distance."""
    return gaussian_mechanism(distance, sigma).rdp(alpha).values[0]


@divergence_within.said(
    r"\text{the Gaussian mechanism is } \bigl(\alpha, \tfrac{\alpha\Delta^2}{2\sigma^2}\bigr)\text{-RDP}",
    tight={"distance": 1, "sensitivity": 1, "sigma": 3, "alpha": 4},
    proof=True,
)
def theorem_3_rdp(distance: Any, sensitivity: Any, sigma: Any, alpha: Any) -> Any:
    """This is ``private-mcmc/def-3`` at a distance of at most the sensitivity. The two sides are equal where the
    distance is the sensitivity.
    """
    return alpha * sensitivity * sensitivity / (2 * sigma * sigma)


@THESIS.item(
    "thm-3.2",
    "Theorem 3.2",
    cases=grid(alpha=[1.001, 2, 12], sigma=[0.7, 3], gap=[1]),
    calls=(gaussian_mechanism, GaussianDP.zcdp),
    page=GAUSSIAN,
)
def concentrated(alpha: Any, sigma: Any, gap: Any) -> Any:
    """The rho that the library promises."""
    return gaussian_mechanism(gap, sigma).zcdp().rho


@concentrated.said(
    r"\text{the Gaussian mechanism is } \tfrac{\Delta^2}{2\sigma^2}\text{-zCDP: } \sup_{\alpha > 1} D_\alpha / \alpha = \tfrac{\Delta^2}{2\sigma^2}",
    proof=True,
)
def theorem_3_zcdp(alpha: Any, sigma: Any, gap: Any) -> Any:
    r"""By ``private-mcmc/thm-3.1`` the quotient \(D_\alpha/\alpha\) is the same at every order."""
    return normal_divergence(alpha, sigma, gap) / alpha


@THESIS.item(
    "thm-3.3",
    "Theorem 3.3",
    cases=[
        {"epsilon": 0.5, "sigma": 1, "gap": 1, "n": 1},
        {"epsilon": 2, "sigma": 3, "gap": 1, "n": 7},
        {"epsilon": 4.1, "sigma": 22, "gap": 1, "n": 1033},
        {"epsilon": 0, "sigma": 5, "gap": 2, "n": 3},
    ],
    calls=(gaussian_mechanism, GaussianDP.repeat, GaussianDP.delta),
    page=GAUSSIAN,
)
def composed_profile(epsilon: Any, sigma: Any, gap: Any, n: Any) -> Any:
    """The exact delta that the library promises of n releases."""
    return gaussian_mechanism(gap, sigma).repeat(int(n)).delta(epsilon)


@composed_profile.said(
    r"\delta(\epsilon) = \tfrac12\Bigl(\operatorname{erfc}\tfrac{\sigma(\epsilon - n\mu)}{\sqrt{2n}\Delta} - e^\epsilon \operatorname{erfc}\tfrac{\sigma(\epsilon + n\mu)}{\sqrt{2n}\Delta}\Bigr) \text{ is the exact } \delta \text{ of } n \text{ compositions}",
    proof=True,
)
def theorem_3_adp(epsilon: Any, sigma: Any, gap: Any, n: Any) -> Any:
    r"""Here n counts compositions (later it counts rows), and \(\mu = \Delta^2/(2\sigma^2)\). At the full distance the
    loss of one release has the law \(N(\mu, 2\mu)\). The losses of n releases add up to \(N(n\mu, 2n\mu)\) at most,
    also if later releases depend on earlier ones. The formula is the hockey stick of this loss. It is compared with
    the hockey stick of two normal laws of variance 1 at the distance \(\sqrt n\,\Delta/\sigma\), by quadrature over
    the outputs where the integrand is positive.
    """
    rho = n * gap * gap / (2 * sigma * sigma)
    shift = sqrt(2 * rho)
    edge = (epsilon + rho) / shift
    norm, factor = sqrt(2 * pi()), exp(number(epsilon))

    def over(x: Any) -> Any:
        return (exp(-(x - shift) * (x - shift) / 2) - factor * exp(-x * x / 2)) / norm

    middle = edge + 4
    return integral(over, edge, middle) + integral(over, middle, edge + 22)


@THESIS.item(
    "thm-3.3-in-doubles",
    "Theorem 3.3",
    cases=[
        *grid(epsilon=[0.01, 4.1, 800, 1500], rho=[0.0001, 0.3, 600]),
        {"epsilon": 37, "rho": 1.1},
        {"epsilon": 1500, "rho": 2600},
    ],
    relation="<=",
    apart="the two bodies of the library's profile against each other, the one in doubles and the one over balls",
    page=GAUSSIAN,
)
def off_in_doubles(epsilon: Any, rho: Any) -> Any:
    """The relative error of ln delta in doubles."""
    if in_doubles():
        return 0.0  # nothing to compare with: intervals decide
    found = log_profile_in_doubles(float(rho), float(epsilon))
    return abs(number(found) / GaussianDP(rho).log_delta(epsilon) - 1)


@off_in_doubles.said(
    r"\Bigl|\frac{\ln\delta \text{ as this library computes it}}{\ln\delta} - 1\Bigr| \le 10^{-9}",
    expected=HOLDS,
    origin="ours",
)
def theorem_3_in_doubles(epsilon: Any, rho: Any) -> Any:
    r"""The formula as printed overflows for \(\epsilon > 709\), and far in the tail its two terms cancel to nothing.
    Write \(M = n\mu\) for the cost of all compositions, and \(a = (\epsilon - M)/(2\sqrt M)\), \(b = (\epsilon +
    M)/(2\sqrt M)\), so that \(b^2 - a^2 = \epsilon\). Then the formula is \(\frac12 e^{-a^2}(\operatorname{erfcx} a -
    \operatorname{erfcx} b)\) with \(\operatorname{erfcx} z = e^{z^2} \operatorname{erfc} z\), and its logarithm is
    computed without overflow. Intervals decide each case, because doubles cannot judge themselves.
    """
    return number("1e-9")


@THESIS.item(
    "def-7",
    "Definition 7",
    cases=grid(n=[1, 4], k=[2, 3]),
    calls=(count_vectors, neighbours),
    page=GAUSSIAN,
)
def histogram_sensitivity(n: Any, k: Any) -> Any:
    """The largest Euclidean distance of neighbouring counts."""
    moves = [
        sum((int(a) - int(b)) ** 2 for a, b in zip(x, y, strict=True))
        for x in count_vectors(int(n), int(k))
        for y in neighbours(x)
    ]
    return sqrt(number(max(moves)))


@histogram_sensitivity.said(
    r"\Delta_p f = \sup_{x \sim x'} \|f(x) - f(x')\|_p\text{: for the counts of } k \text{ categories } \Delta_2 = \sqrt2",
    proof=True,
)
def definition_7(n: Any, k: Any) -> Any:
    r"""A replaced record takes one from a count and adds one to another. Two counts change by one, so \(\Delta_2 =
    \sqrt2\), and \(\Delta_1 = 2\).
    """
    return sqrt(number(2))


@THESIS.item(
    "def-7-release",
    "Definition 7, after",
    cases=grid(epsilon=[0.1, 1, 8], delta=[1e-6, 0.01]),
    relation="<=",
    calls=(gaussian_mechanism, GaussianDP.delta),
    page=GAUSSIAN,
    premises=premises(epsilon=Reals(above=0), delta=Reals(1e-9, 0.5, above=0, below=1)),
)
def released(epsilon: Any, delta: Any) -> Any:
    """The exact delta of the release."""
    level = -log(delta)
    rho = (sqrt(epsilon + level) - sqrt(level)) ** 2
    return gaussian_mechanism(1, 1 / sqrt(2 * rho)).delta(epsilon)


@released.said(
    r"\text{a function with finite } \ell_2 \text{ sensitivity can be released with an appropriate } \sigma^2\text{: } \rho = (\sqrt{\epsilon + \ln\tfrac1\delta} - \sqrt{\ln\tfrac1\delta})^2,\ \sigma = \Delta/\sqrt{2\rho} \text{ gives } (\epsilon, \delta)\text{-ADP}",
    proof=True,
    origin="reading",
)
def any_release(epsilon: Any, delta: Any) -> Any:
    r"""With this \(\rho\) one has \(\rho + 2\sqrt{\rho\ln(1/\delta)} = \epsilon\), and the claim follows from
    ``private-mcmc/zcdp-to-adp``. In several dimensions the noise must have the same variance in all directions.
    """
    return delta


# Conversions, which the source leaves out


@THESIS.item(
    "zcdp-to-adp",
    "Section 2.1, left out",
    cases=grid(rho=[0.01, 0.35, 5], delta=[1e-6, 0.1]),
    relation="<=",
    calls=(GaussianDP.delta, ZCDP.classic_epsilon, ZCDP.repeat),
    page=CURRENCIES,
    premises=premises(rho=Reals(1e-4, 30, above=0), delta=Reals(1e-9, 0.9, above=0, below=1)),
)
def delta_at_the_classic_epsilon(rho: Any, delta: Any) -> Any:
    """The true delta of a Gaussian mechanism at the epsilon of the conversion, for two steps of half the cost each."""
    return GaussianDP(rho).delta(ZCDP(rho / 2).repeat(2).classic_epsilon(delta))


@delta_at_the_classic_epsilon.said(
    r"\rho\text{-zCDP implies } (\rho + 2\sqrt{\rho \ln\tfrac1\delta}, \delta)\text{-ADP}",
    proof=True,
    origin="literature",
    work="bun2016",
)
def zcdp_to_adp(rho: Any, delta: Any) -> Any:
    r"""The source states no conversion from its two Rényi notions to ADP. Note that \(\delta(\varepsilon) \le \Pr_P[L
    > \varepsilon]\). By Markov's inequality this is at most \(e^{(\alpha - 1)(\rho\alpha - \varepsilon)}\) for every
    \(\alpha > 1\). The best order is \(\alpha = (\varepsilon + \rho)/(2\rho)\), which gives \(e^{-(\varepsilon -
    \rho)^2/(4\rho)}\). At the epsilon of the statement this is \(\delta\). The exact side is the true \(\delta\) of a
    Gaussian mechanism there.
    """
    return delta


@THESIS.item(
    "rdp-to-adp",
    "Section 2.1, left out",
    cases=grid(rho=[0.05, 0.35], alpha=[1.5, 4, 12], epsilon=[0.3, 2]),
    relation="<=",
    calls=(GaussianDP.delta, RDP.delta, RDP.repeat),
    page=CURRENCIES,
    premises=premises(rho=Reals(1e-4, 30, above=0), alpha=ORDER, epsilon=Reals(above=0)),
)
def gaussian_delta(rho: Any, alpha: Any, epsilon: Any) -> Any:
    """The true delta of a Gaussian mechanism."""
    return GaussianDP(rho).delta(epsilon)


@gaussian_delta.said(
    r"(\alpha, \tau)\text{-RDP implies } \delta(\varepsilon) \le \frac{e^{(\alpha - 1)(\tau - \varepsilon)}}{\alpha - 1}\Bigl(1 - \frac1\alpha\Bigr)^\alpha",
    proof=True,
    origin="literature",
    work="canonne2020",
)
def rdp_to_adp(rho: Any, alpha: Any, epsilon: Any) -> Any:
    r"""One has \(\delta = E_P(1 - e^{\varepsilon - L})_+\). Choose c so that \((1 - e^{\varepsilon - t})_+ \le c\,
    e^{(\alpha - 1) t}\) for all t, with the two curves touching at \(e^{\varepsilon - t} = (\alpha - 1)/\alpha\). Then
    \(\delta \le c\, E_P e^{(\alpha - 1)L} \le c\, e^{(\alpha - 1)\tau}\), which is the bound. The exact side is the
    true \(\delta\) of a Gaussian mechanism with \(\tau = \alpha\rho\). The bound is computed for two steps of half the
    cost each.
    """
    return RDP(alpha, alpha * rho / 2).repeat(2).delta(epsilon)
