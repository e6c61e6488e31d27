r"""Statements of "Differentially Private Markov Chain Monte Carlo", and statements on the subjects of its chapter
titles.

The source contains one background chapter and only the titles of Chapters 3 to 6. The statements on the subjects of
these titles are theorems from the literature and our own theorems. The subjects are the penalty algorithm (Chapter 3),
its variations (Chapter 4) and our reading of "Gauss-Bernoulli" (Chapter 5). The pages of the book contain computations
on the penalty algorithm, its variations and "Gauss-Bernoulli".

Privacy. Two datasets are neighbours if they differ in one row, and P and Q are the distributions of an output for two
neighbouring datasets. \(L = \ln(P/Q)\) is the privacy loss, and \(D_\alpha\) is the Rényi divergence of order
\(\alpha\) of P from Q. The hockey-stick divergence \(\delta(\varepsilon) = \sum (P - e^{\varepsilon} Q)_+\) is the
smallest \(\delta\) at \(\varepsilon\), where \((\cdot)_+\) denotes the positive part of a number. ADP stands for
approximate differential privacy with the parameters \((\varepsilon, \delta)\). RDP bounds \(D_\alpha\) at one order,
and zCDP bounds \(D_\alpha\) by \(\rho\alpha\) at all orders. The worst pair of distributions for \((\varepsilon,
\delta)\) belongs to a mechanism that reveals its input with probability \(\delta\) and otherwise uses randomised
response.

Chains. In state \(\theta\), a chain proposes \(\theta'\) (\(\theta^*\) in the source) from the density \(q(\theta' \mid
\theta)\). The target distribution of the chain is \(\pi\). The "error" of a step is the total variation distance
between \(\pi\) and the distribution of the state one step after a draw from \(\pi\). This error is zero if the step
leaves \(\pi\) invariant. This error is computed on a grid of parameter values, with a tolerance of \(10^{-12}\) for
rounding errors.

In the example of Section 2.2, the data D are five rows \(D_j\) from a normal distribution with variance 1, and S is the
sum of the rows. The prior for the mean of this distribution is N(0, 1), so the posterior is N(S/6, 1/6).

Noise. The log ratio \(\lambda\) of the target densities at \(\theta'\) and at \(\theta\) is the sum of the log ratios
\(r_j\) of the rows and the log ratio of the prior. From Chapter 3 onwards, each step observes \(\lambda\) with normal
noise sZ, where Z is standard normal. \(A_s(\lambda)\) is the probability that the proposal is accepted, averaged over
Z. Clipping bounds the absolute value of a row's log ratio per unit of distance. In the statements about batches, b is
the number of rows in a batch.
"""

from . import definitions, gaussian_noise, metropolis_hastings, noisy_decisions  # noqa: F401, in thesis order
