"""field_gateway.py - rows of the field whose input is words: by their id.

What they ask for is done in the world, in gateway_trials.py.
"""


def in_the_world(name):
    def case(area):
        area.need_live().field(name)
    return case


CASES = {name: in_the_world(name) for name in ("G10", "G15", "G16", "G17")}
