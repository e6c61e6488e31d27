r"""The statements of "Bayesian differential privacy through posterior sampling", by section of the paper.

The prior is \(\xi\), the posterior \(\xi(\cdot \mid x)\), the likelihood \(p_\theta\), and the marginal of the data
\(\phi\). Two datasets x and y are at the distance \(\rho(x, y)\). P and Q are two laws, mostly the posteriors of x and
y. D is the divergence from one to the other, J the sum of both divergences, and \(TV\) the total variation between
them.

Under Assumption 1 the log likelihood has the Lipschitz constant L. Under Assumption 2 it has the constant
\(\ell(\theta)\) at the parameter \(\theta\), and the prior mass of larger constants falls from \(L_0\) on at the rate
c. \(\Theta_L\) are the parameters with a constant of at most L. In some cases the level \(e^L\) is given in place of L.
C is the largest ratio of a likelihood to the marginal, and w the range of a log ratio of two posteriors. A law is
called extreme if it attains a bound among all laws that are allowed.

N is the number of draws that are published, and n the number of records. Where a test distinguishes two laws, the
error is the mean of its two probabilities of a wrong decision, and the best test has the least. A response r has the
utility u(r), which is averaged over the posterior; its regret is how much less useful it is than the best response. A
star marks the true prior \(\xi^\star\) and what belongs to it, and \(\xi\) without one is the private prior.

In Section 5.2 the prior is Beta\((\alpha, \alpha)\). \(A(p) = \int_0^p t^{\alpha-1} (1 + t)^{-2\alpha}\,dt\) is the
integral of its kernel up to \(\frac{p}{1+p}\), F, G and H are the functions of Claims 2 to 4, and \(\psi\) is the
digamma function. In Section 5.4 a node k of a network has \(s_k\) states, all probabilities are at least
\(\varepsilon\), and \(v_k\) is one more than the number of its children.
"""

from . import definitions, evidence, privacy, answers, adversary, utility  # noqa: F401, I001
from . import rates, coins, normals, networks, discussion  # noqa: F401, the order of the paper is that of the ledger
from .networks import lemma_24_markov
from .utility import lemma_18

__all__ = ["lemma_18", "lemma_24_markov"]
