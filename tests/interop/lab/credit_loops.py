"""Whether packets can wait for each other in a circle: the channel dependency graph of forwarding tables, as read.

A channel is a cable between switches in one direction. One depends on another where packets of some pair come in by the
first and go on by the second: while the second has no credits, the first gives none back. A lossless network may come to
a standstill exactly where this graph has a cycle (Dally and Seitz, 1987). One virtual lane is assumed for all."""

NO_ROUTE = 255


def dependencies(model, tables, needed=lambda here, there: True):
    """Channel (switch, port) to the channels that it may wait for; of the pairs of nodes that are needed."""
    waits = {}
    firsts = {}  # switch and those that send into the fabric there
    for node, port, _ in model.ends():
        first = node if node.is_switch else node.links[port][0] if port in node.links else None
        if first is not None and first.is_switch:
            firsts.setdefault(first.id, (first, []))[1].append(node)
    for there, _, lid in model.ends():
        seen = set()
        for first, senders in firsts.values():
            if not any(needed(here, there) for here in senders):
                continue
            before, at = None, first
            while at.is_switch and at is not there:
                table = tables.get(at.guid, [])
                out = table[lid] if lid < len(table) else NO_ROUTE
                if out not in at.links:
                    break
                follower = at.links[out][0]
                channel = (at.id, out)
                if follower.is_switch:
                    waits.setdefault(channel, set())
                    if before is not None:
                        waits[before].add(channel)
                if at.id in seen:
                    break
                seen.add(at.id)
                before, at = channel, follower
    return waits


def cycle(waits):
    """Channels that wait for each other in a circle, or nothing."""
    done = set()
    for start in waits:
        path, on_path, ahead = [], set(), [(start, None)]
        while ahead:
            channel, further = ahead.pop()
            if further is None:
                if channel in on_path:
                    return path[path.index(channel):]
                if channel in done:
                    continue
                path.append(channel)
                on_path.add(channel)
                further = iter(waits[channel])
            following = next(further, None)
            if following is None:
                done.add(path.pop())
                on_path.discard(channel)
            else:
                ahead += [(channel, further), (following, None)]
    return None


def find(model, tables, needed=lambda here, there: True):
    """The channels of a credit loop as texts, or nothing where there is none."""
    loop = cycle(dependencies(model, tables, needed))
    return loop and [f"{switch} port {port}" for switch, port in loop]
