"""A pole on a cart that hangs down at first: swing it up, and keep it up.

Dynamics: A. Barto, R. Sutton, C. Anderson, "Neuronlike adaptive elements that can solve difficult learning control
problems" (1983), with the constants, the integration step, the 500 steps and the 2.4 m of track of Gymnasium's
CartPole-v1. Here the pole starts at the bottom and the force is any between -10 N and 10 N. A step earns 1 with the
pole upright, 0 with the pole down; leaving the track ends the episode.
"""
from math import cos, pi, sin

STEPS = 500  # of 20 ms
MARK = 400.0  # the mean return at which the task counts as solved: up after two seconds, up ever since
OBSERVED = 5  # numbers in an observation

GRAVITY, CART, POLE, HALF_LENGTH, FORCE, STEP, TRACK = 9.8, 1.0, 0.1, 0.5, 10.0, 0.02, 2.4


def episode(policy, random):
    """Plays one episode and returns what it earned."""
    x, speed, angle, spin = (start + random.uniform(-0.05, 0.05) for start in (0.0, 0.0, pi, 0.0))
    earned = 0.0
    for _ in range(STEPS):
        sine, cosine = sin(angle), cos(angle)
        force = FORCE * policy(x, speed, cosine, sine, spin)
        push = (force + POLE * HALF_LENGTH * spin**2 * sine) / (CART + POLE)
        spin_up = (GRAVITY * sine - cosine * push) / (HALF_LENGTH * (4 / 3 - POLE * cosine**2 / (CART + POLE)))
        speed_up = push - POLE * HALF_LENGTH * spin_up * cosine / (CART + POLE)
        x, speed = x + STEP * speed, speed + STEP * speed_up
        angle, spin = angle + STEP * spin, spin + STEP * spin_up
        if abs(x) > TRACK:
            break
        earned += (1 + cosine) / 2
    return earned
