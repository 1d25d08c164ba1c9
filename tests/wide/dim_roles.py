# SPDX-License-Identifier: Apache-2.0
"""Which dims of a model's values are its batch, its sequence, its heads and so on: by where they come from, not by their sizes.

Roles are known of a model's inputs (INPUTS, by name and rank) and of sizes that one role alone has in a network. From there they are followed
through the nodes, forwards and backwards, along the dims that rules name alike. A dim of a size that several roles have is named after its size
only where nothing leads to it: the first of them that its value lacks, in the order of the nodes. So a batch of 8 beside 8 heads of 8 elements
stays apart from both. A node whose rule misses a cut hides no dim: what lies before it is named from the inputs, what lies behind it from other
paths, from weights or from sizes; dims without any role are counted, too.
"""

import collections
import re

ROLES = ("batch", "sequence", "hidden", "heads", "vocabulary", "spatial", "expert", "channel", "node", "edge")
ONCE = ("batch", "heads", "expert", "channel", "vocabulary")  # at most one dim of a value
OF_DATA = ("batch", "heads", "node", "edge", "spatial")  # no dims of weights, unless something leads to them

INPUTS = (
    ("image|pixel_values|sample", ("batch", "channel", "spatial", "spatial")),
    ("context|x", ("batch", "sequence", "hidden")),
    ("edges", (None, "edge")),
    ("adjacency", ("node", "node")),
    ("x|target", ("batch", "hidden")),
    (".*", ("batch", "sequence")),
    ("labels|timestep", ("batch",)),
)


class Network:
    """Sizes of the networks of one name, by role, in the order in which they are tried.

    bind: of sizes that the file leaves open. inputs: of which INPUTS say otherwise.
    """

    def __init__(self, pattern, sizes, bind=None, inputs=()):
        self.pattern, self.sizes, self.bind, self.inputs = re.compile(pattern), sizes, bind or [], inputs

    def roles_of_input(self, name, shape):
        for pattern, roles in (*self.inputs, *INPUTS):
            if re.fullmatch(pattern, name) and len(roles) == len(shape):
                return roles
        return (None,) * len(shape)

    def roles_of_size(self, size, weight):
        roles = [role for role, sizes in self.sizes.items() if size in sizes]
        if not weight:
            return roles
        own = [role for role in roles if role.split("*")[0] not in OF_DATA]
        return [role for role in own if role != "sequence"] or own  # a table of positions


class Graph:
    """shapes by value; inputs and weights: names; nodes: (name, inputs, outputs), None where an operand is none or holds sizes."""

    def __init__(self, shapes, inputs, weights, nodes):
        self.shapes, self.inputs, self.weights, self.nodes = shapes, inputs, weights, nodes


def letters_of(token):
    """(the letters of a dim in a rule, outer ones first; whether they stand side by side)."""
    return re.findall(r"[a-z]\d*", token), "+" in token


class Roles:
    """roles[value, dim]: a tuple of roles, outer ones first where dims are merged; absent: none is known."""

    def __init__(self, graph, network, tokens):
        """tokens: by node, those of every dim of every input and output of its rule; None: no rule, or no dims."""
        self.graph, self.network = graph, network
        self.roles = {}
        self.places = {}  # by node: (value, dim, letters, side by side)
        self.readers = collections.defaultdict(list)
        for name, inputs, outputs in graph.nodes:
            places = []
            for values, sides in zip((inputs, outputs), tokens.get(name) or ((), ())):
                for value, dims in zip(values, sides):
                    for dim, token in enumerate(dims or ()):
                        letters, beside = letters_of(token)
                        if value is not None and letters and dim < len(graph.shapes[value]):
                            places.append((value, dim, letters, beside))
                            self.readers[value].append(name)
            self.places[name] = places
        self.find()

    def of(self, value, dim):
        return self.roles.get((value, dim), ())

    def find(self):
        graph, network = self.graph, self.network
        for value in graph.inputs:
            for dim, role in enumerate(network.roles_of_input(value, graph.shapes[value])):
                self.name(value, dim, role and (role,))
        self.follow(self.places)
        dims = [(value, dim, size) for value, shape in graph.shapes.items() for dim, size in enumerate(shape) if size > 1]
        fitting = {one: network.roles_of_size(one[2], one[0] in graph.weights) for one in dims}
        for most in (1, len(ROLES)):
            for value, dim, _ in (one for one in dims if len(fitting[one]) <= most):
                if (value, dim) not in self.roles and self.name(value, dim, self.missing(value, dim, fitting[value, dim, graph.shapes[value][dim]])):
                    self.follow(self.readers[value])

    def name(self, value, dim, roles):
        if not roles or (value, dim) in self.roles:
            return False
        self.roles[value, dim] = roles
        return True

    def missing(self, value, dim, fitting):
        """The first of some roles that no other dim of the value has; else, of data, the first that several dims may have."""
        present = {role for other in range(len(self.graph.shapes[value])) if other != dim for role in self.of(value, other)}
        parts = [tuple(role.split("*")) for role in fitting]
        several = [] if value in self.graph.weights else [one for one in parts if not set(ONCE) & present & set(one)]
        return next((one for one in parts if not present & set(one)), None) or next(iter(several), None)

    def follow(self, nodes):
        waiting = list(nodes)
        while waiting:
            for value in self.spread(waiting.pop()):
                waiting += self.readers[value]

    def spread(self, node):
        """Names the dims of a node that share letters with named ones; the values that got a name."""
        places, known = self.places[node], {}
        for value, dim, letters, beside in places:
            roles = self.of(value, dim)
            if roles and (len(letters) == 1 or beside):
                known.update({letter: roles for letter in letters if letter not in known})
            elif len(roles) == len(letters):
                known.update({letter: (role,) for letter, role in zip(letters, roles) if letter not in known})
        named = []
        for value, dim, letters, _ in places:
            if (value, dim) not in self.roles and all(letter in known for letter in letters):
                self.name(value, dim, tuple(dict.fromkeys(role for letter in letters for role in known[letter])))
                named.append(value)
        return named
