"""What master and worker agree on: the policy's shape, and noise made from a seed.

Method: T. Salimans, J. Ho, X. Chen, S. Sidor, I. Sutskever, "Evolution strategies as a scalable alternative to
reinforcement learning" (2017). Candidates are the parameters plus and minus a noise vector; as in the paper only
the noise's seed travels, and both sides make the vector from it.
"""
import random
from math import tanh

import cartpole

HIDDEN = 8
ROW = cartpole.OBSERVED + 1  # a hidden unit's weights and bias
SIZE = HIDDEN * ROW + HIDDEN + 1
SIGMA = 0.5  # the noise's standard deviation


def noise(seed):
    source = random.Random(seed)
    return [source.gauss(0.0, 1.0) for _ in range(SIZE)]


def policy(parameters):
    """A network with one hidden layer; its output is between -1 and 1."""
    rows = [parameters[at:at + ROW] for at in range(0, HIDDEN * ROW, ROW)]
    *weights, bias = parameters[HIDDEN * ROW:]
    units = list(zip(weights, rows))

    def act(x, speed, cosine, sine, spin):
        total = bias
        for weight, (a, b, c, d, e, f) in units:
            total += weight * tanh(a * x + b * speed + c * cosine + d * sine + e * spin + f)
        return tanh(total)

    return act


def mean_return(parameters, seeds):
    act = policy(parameters)
    returns = [cartpole.episode(act, random.Random(seed)) for seed in seeds]
    return sum(returns) / len(returns)
