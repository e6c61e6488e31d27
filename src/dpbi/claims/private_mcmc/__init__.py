r"""The statements of "Differentially Private Markov Chain Monte Carlo", and statements on the subjects of its chapter
titles.

The source contains one background chapter, and only the titles of Chapters 3 to 6. For the subjects of these titles,
the statements are theorems from the literature or our own theorems: the penalty algorithm (Chapter 3), its variations
(Chapter 4), and our own reading of "Gauss-Bernoulli" (Chapter 5). The pages of the book contain computations on these
subjects.

Privacy. Two datasets are neighbours if they differ in one row, and P and Q are the distributions of an output for two
neighbours. \(L = \ln(P/Q)\) is the privacy loss, and \(D_\alpha\) is the Rényi divergence of P from Q of order
\(\alpha\). The hockey stick \(\delta(\varepsilon) = \sum (P - e^{\varepsilon} Q)_+\) is the smallest \(\delta\) at
\(\varepsilon\), where \((\cdot)_+\) denotes the positive part of a number. ADP stands for approximate differential
privacy with \((\varepsilon, \delta)\). RDP bounds \(D_\alpha\) at one order, and zCDP bounds \(D_\alpha\) by
\(\rho\alpha\) at all orders. The worst pair for \((\varepsilon, \delta)\) reveals the input with probability
\(\delta\), and is randomised response otherwise.

Chains. In the state \(\theta\), a chain proposes \(\theta'\) (\(\theta^*\) in the source) with the density
\(q(\theta' \mid \theta)\), and the target distribution of the chain is \(\pi\). The "error" of a step is the total
variation distance between \(\pi\) and the distribution of the state one step after a draw from \(\pi\). The error is
zero if the step leaves \(\pi\) invariant. The error is computed on a grid of points, with a tolerance of \(10^{-12}\)
for rounding errors.

In the example of Section 2.2, the data D are five rows \(D_j\) from a normal distribution of variance 1, and S is the
sum of the rows. The prior of the mean is N(0, 1), so the posterior is N(S/6, 1/6).

Noise. The log ratio \(\lambda\) of the target densities at \(\theta'\) and at \(\theta\) is the sum of the log ratios
\(r_j\) of the rows and the log ratio of the prior. In Chapter 3 and later chapters, a step observes \(\lambda\) with
normal noise sZ, where Z is standard normal. \(A_s(\lambda)\) is the probability that the step is accepted, averaged
over Z. The log ratio of a row may be clipped, which bounds its absolute value per unit of distance. In the statements
about batches, b is the number of rows in a batch.
"""

from . import definitions, gaussian_noise, metropolis_hastings, noisy_decisions  # noqa: F401, in thesis order
