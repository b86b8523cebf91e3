"""Walks forwarding tables: from every end port to every LID, as packets would go."""

NO_ROUTE = 255


def read_tables(text):
    """Lines of a GUID and ports by LID, as `madrigal_interop_check tables` prints them: GUID to a list."""
    tables = {}
    for line in text.splitlines():
        guid, *ports = line.split()
        tables[int(guid, 16)] = [int(port) for port in ports]
    return tables


def unreachable(model, tables, most=5, needed=lambda here, there: True):
    """Number of pairs of LIDs walked, and sentences about those that are needed and do not come through."""
    ends = list(model.ends())
    problems = []
    pairs = 0
    for there, port, lid in ends:
        # Where a packet for this LID ends, from each switch; found once for each.
        ways = {}
        for switch in model.switches:
            path = []
            at = switch
            while True:
                if at is there:
                    outcome = None
                    break
                if not at.is_switch:
                    outcome = f"ends at {at!r}"
                    break
                if at.id in ways:
                    outcome = ways[at.id]
                    break
                if at in path:
                    outcome = f"goes in circles over {at!r}"
                    break
                path.append(at)
                table = tables.get(at.guid, [])
                out = table[lid] if lid < len(table) else NO_ROUTE
                if out not in at.links:
                    outcome = f"stops at {at!r}, which has port {out} for it"
                    break
                at, entered = at.links[out]
                if at is there and not at.is_switch and entered != port:
                    outcome = f"comes to port {entered} of {at!r}"
                    break
            for one in path:
                ways[one.id] = outcome
        for here, number, source in ends:
            if not needed(here, there):
                continue
            pairs += 1
            first = here if here.is_switch else here.links[number][0]
            outcome = None if here is there or first is there else ways.get(first.id)
            if outcome and len(problems) < most:
                problems.append(f"from LID {source} to LID {lid} ({there!r}): {outcome}")
    return pairs, problems
