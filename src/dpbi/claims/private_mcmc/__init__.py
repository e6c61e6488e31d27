r"""The statements of "Differentially Private Markov Chain Monte Carlo", and of what the titles of its chapters name.

The source has a background chapter and then only titles: chapters 3 to 6 hold no text. What those chapters became is
stated here where it is a theorem, as it stands in the literature or as ours: of the penalty algorithm (chapter 3), its
variations (4), and a reading of our own of "Gauss-Bernoulli" (5). What is computed of them is on the pages.

Privacy. Two datasets are neighbours if they differ in one row, and P and Q are the laws of an output at two of them.
\(L = \ln(P/Q)\) is the privacy loss, and \(D_\alpha\) is the Rényi divergence of P from Q, of the order \(\alpha\). The
hockey stick \(\delta(\varepsilon) = \sum (P - e^{\varepsilon} Q)_+\) is the smallest \(\delta\) at \(\varepsilon\); the
positive part of a number is written \((\cdot)_+\). Approximate privacy with \((\varepsilon, \delta)\) is called ADP.
RDP bounds \(D_\alpha\) at one order, and zCDP bounds it by \(\rho\alpha\) at all orders. The worst pair for
\((\varepsilon, \delta)\) reveals the input with probability \(\delta\), and is randomised response otherwise.

Chains. A chain is at \(\theta\), is proposed to go to \(\theta'\) (in the source \(\theta^*\)) with the density
\(q(\theta' \mid \theta)\), and has the target \(\pi\). "Error" is the total variation distance between \(\pi\) and
the law one step after \(\pi\): it is zero if the step leaves \(\pi\) invariant. It is computed on a grid of points,
with an allowance of \(10^{-12}\) for rounding.

The example of Section 2.2 has data D of five rows \(D_j\), of variance 1, that add up to S. The prior of their mean is
N(0, 1), so that the posterior is N(S/6, 1/6).

Noise. The log ratio of the target at \(\theta'\) and at \(\theta\) is \(\lambda\), which is the sum of the ratios
\(r_j\) of the rows and that of the prior. From Chapter 3 on, a step sees it with normal noise sZ, where Z is standard
normal, and \(A_s(\lambda)\) is the probability to accept, averaged over Z. A row's ratio may be clipped to a bound on
its size per unit of distance. In the statements about batches b is the number of rows in a batch.
"""

from . import definitions, gaussian_noise, metropolis_hastings, noisy_decisions  # noqa: F401, the order of the thesis
