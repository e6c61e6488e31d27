r"""Statements of the paper "Bayesian differential privacy through posterior sampling", in the order of the paper.

The prior is \(\xi\), the posterior is \(\xi(\cdot \mid x)\), the likelihood is \(p_\theta\), and the marginal
distribution of the data is \(\phi\). The distance between two datasets x and y is \(\rho(x, y)\). P and Q are two
distributions, usually the posteriors given x and given y. D is the Kullback-Leibler divergence of P from Q, J is the
sum of the divergences in both directions, and \(TV\) is the total variation distance between P and Q.

Under Assumption 1, L is a Lipschitz constant of the log likelihood for all parameters. Under Assumption 2, the log
likelihood at the parameter \(\theta\) has the Lipschitz constant \(\ell(\theta)\), and the prior probability that this
constant exceeds L is at most \(e^{-c(L - L_0)}\) for every \(L \ge L_0\). \(\Theta_L\) is the set of parameters whose
Lipschitz constant is at most L. Some checks use the level \(e^L\) as a parameter instead of L. C is the largest ratio
of a likelihood to the marginal, and w is the width of the range of the log ratio of two posteriors. A distribution is
called extreme if it maximises a quantity over all admissible distributions.

N is the number of published draws, and n is the number of records. The error of a test between two distributions is the
average of its two error probabilities, and the best test has the smallest error. The utility u(r) of a response r is
averaged over the posterior. The regret of a response is the average utility of the best response minus the average
utility of the given response. A star marks the true prior \(\xi^\star\) and all quantities derived from the true prior;
\(\xi\) without a star is the private prior.

In Section 5.2, the prior is Beta\((\alpha, \alpha)\). The function
\(A(p) = \int_0^p t^{\alpha-1} (1 + t)^{-2\alpha}\,dt\) is the integral of the kernel of this prior up to
\(\frac{p}{1+p}\). F, G and H are the functions in Claims 2 to 4, and \(\psi\) is the digamma function. In Section 5.4,
node k of a network has \(s_k\) states, all probabilities are at least \(\varepsilon\), and \(v_k\) is the number of children of node k plus one.
"""

from . import definitions, evidence, privacy, answers, adversary, utility  # noqa: F401, I001
from . import rates, coins, normals, networks, discussion  # noqa: F401, the order of the paper is that of the ledger
