"""Hands out candidates, follows the better ones, and writes a line per generation to $FIBER_STDOUT."""
import argparse
import json
import os
import sys

import cartpole
import strategy

PAIRS = 32  # noise vectors a generation, each tried with both signs
RATE = 0.2  # of learning
FADE1, FADE2 = 0.9, 0.99  # Adam's: how long it remembers


def ask(tasks):
    """The workers' replies to these tasks, in their order."""
    for task in tasks:
        print(json.dumps(task))
    sys.stdout.flush()
    return [float(sys.stdin.readline()) for _ in tasks]


def ranks(values):
    """Centred ranks, -0.5 to 0.5: what counts is who was better, not by how much. Equal values share a rank."""
    ordered = sorted(values)
    return [(ordered.index(value) + (ordered.count(value) - 1) / 2) / (len(values) - 1) - 0.5 for value in values]


class Adam:
    """D. Kingma, J. Ba, "Adam: a method for stochastic optimization" (2015)."""

    def __init__(self, size):
        self.mean, self.square, self.steps = [0.0] * size, [0.0] * size, 0

    def step(self, parameters, gradient):
        self.steps += 1
        self.mean = [FADE1 * m + (1 - FADE1) * g for m, g in zip(self.mean, gradient)]
        self.square = [FADE2 * s + (1 - FADE2) * g * g for s, g in zip(self.square, gradient)]
        rate = RATE * (1 - FADE2**self.steps) ** 0.5 / (1 - FADE1**self.steps)
        return [p + rate * m / (s**0.5 + 1e-8) for p, m, s in zip(parameters, self.mean, self.square)]


def tests(parameters, seed, episodes):
    """Tasks of five episodes each that show how good the parameters are."""
    return [{"parameters": parameters, "episodes": [f"{seed}/test/{i}" for i in range(first, first + 5)]}
            for first in range(0, episodes, 5)]


def mean(values):
    return sum(values) / len(values)


def generation(parameters, seed, number):
    """Tries both signs of every noise vector: the way to better candidates, and the mean return from here."""
    seeds = [f"{seed}/{number}/{pair}" for pair in range(PAIRS)]
    candidates = [{"parameters": parameters, "noise": noise, "sign": sign, "episodes": [f"{seed}/{number}"]}
                  for noise in seeds for sign in (1, -1)]
    replies = ask(candidates + tests(parameters, seed, 10))
    shaped = ranks(replies[:len(candidates)])
    gradient = [0.0] * strategy.SIZE
    for pair, noise in enumerate(seeds):
        weight = (shaped[2 * pair] - shaped[2 * pair + 1]) / (2 * PAIRS * strategy.SIGMA)
        gradient = [g + weight * e for g, e in zip(gradient, strategy.noise(noise))]
    return gradient, mean(replies[len(candidates):])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--generations", type=int, default=500, help="at most")
    arguments = parser.parse_args()
    parameters = [0.1 * e for e in strategy.noise(f"{arguments.seed}/start")]
    adam = Adam(strategy.SIZE)
    with open(os.environ["FIBER_STDOUT"], "w", encoding="utf-8", buffering=1) as result:
        for number in range(1, arguments.generations + 1):
            gradient, reward = generation(parameters, arguments.seed, number)
            print(f"generation {number:3}  reward {reward:6.2f}", file=result)
            if reward >= cartpole.MARK:
                final = mean(ask(tests(parameters, arguments.seed, 100)))
                if final >= cartpole.MARK:
                    print(f"solved: mean reward {final:.2f} over 100 episodes, the mark is {cartpole.MARK:.0f}", file=result)
                    return
            parameters = adam.step(parameters, gradient)
    sys.exit("not solved")


main()
