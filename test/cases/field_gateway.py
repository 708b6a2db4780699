"""field_gateway.py - rows of the field whose input is words: by their id.

What they ask for is done in the world, in gateway_trials.py.
"""


from tools import Skip


def in_the_world(name):
    def case(area):
        area.need_live().field(name)
    return case


def of_the_cache(_):
    raise Skip("cx-gateway has no cache for registries yet")


CASES = {name: in_the_world(name) for name in ("G10", "G15", "G16", "G17")}
CASES.update(dict.fromkeys(("G21", "G23", "G25"), of_the_cache))
