"""Programs that draw the whole fabric: what they find is what the file says and what `madrigal discover` finds."""
import re


def check(lab):
    lab.manager().wait_up(120)
    model = lab.discovered()
    ours = lab.save("discover.topo", lab.fabric.madrigal("discover", "-f", "topo").out)

    with lab.report.program("madrigal discover") as check:
        check.equal("differences from the file", lab.differences(lab.file, ours, lids=False), "")

    with lab.report.program("ibnetdiscover") as check:
        found = check.clean(lab.fabric.run("ibnetdiscover"))
        theirs = lab.save("ibnetdiscover.topo", found.out)
        check.equal("differences from the file", lab.differences(lab.file, theirs, lids=False), "")
        check.equal("differences from madrigal discover", lab.differences(ours, theirs), "")
        check.equal("differences of madrigal discover", lab.differences(theirs, ours), "")
        ports = check.clean(lab.fabric.run("ibnetdiscover", "-p"))
        check.equal("lines of cables in ibnetdiscover -p", sum(" - " in line for line in ports.out.splitlines()),
                    2 * len(model.cables))
        check.note = f"{len(model.nodes)} nodes, {len(model.cables)} cables"

    lists(lab, model)
    links(lab, model)


def lists(lab, model):
    with lab.report.program("ibhosts, ibswitches, ibnodes") as check:
        for program, nodes in (("ibhosts", model.cas), ("ibswitches", model.switches),
                               ("ibnodes", list(model.nodes.values()))):
            found = check.clean(lab.fabric.run(program))
            lines = re.findall(r'(0x[0-9a-f]+) ports (\d+) "(.*?)"', found.out)
            listed = sorted((int(guid, 16), int(ports), name) for guid, ports, name in lines)
            check.equal(f"what {program} lists", listed,
                        sorted((node.guid, node.port_count, node.description) for node in nodes))
        check.equal("what ibrouters lists", check.clean(lab.fabric.run("ibrouters")).out.strip(), "")


def links(lab, model):
    with lab.report.program("iblinkinfo") as check:
        found = check.clean(lab.fabric.run("iblinkinfo", "-l"))
        line = re.compile(r'^(0x[0-9a-f]+) ".*?" +(\d+) +(\d+)\[[ \d]+\] '
                          r'==\( *(\S+) +(\S+ Gbps(?: \(FDR10\))?) +Active/ +LinkUp\)==> +'
                          r'(0x[0-9a-f]+) +(\d+) +(\d+)\[[ \d]+\] "(.*?)" ?\(?(.*)$')
        told = set()
        consistent = all(a.get("width") == b.get("width") and a.get("speed") == b.get("speed")
                         for _, _, (a, b) in model.cables)
        for text in found.out.splitlines():
            match = line.match(text)
            if not match:
                check.that("Down/" in text, f"a line of another form: {text!r}")
                continue
            guid, lid, port, width, _, peer_guid, peer_lid, peer_port, _, remark = match.groups()
            # Such as "Could be 12X"; where a file's ends contradict each other it is right.
            check.that(not remark.strip(" )") or not consistent, f"a remark: {text!r}")
            told.add((int(guid, 16), int(lid), int(port), width.lower(), int(peer_guid, 16), int(peer_lid),
                      int(peer_port)))
        check.equal("cables that differ", sorted(told ^ expected_links(model))[:3], [])
        check.note = f"{len(told)} ends of cables"


def expected_links(model):
    def end(node, port):
        """As iblinkinfo -l has it: of a switch the node's GUID, of a CA the port's."""
        return node.guid if node.is_switch else node.port_guids[port]

    def lid(node, port):
        return node.lids[0 if node.is_switch else port]

    both_ways = ([(a, b, told[0]) for a, b, told in model.cables] + [(b, a, told[1]) for a, b, told in model.cables])
    return {(end(*a), lid(*a), a[1], told.get("width", "4x"), end(*b), lid(*b), b[1]) for a, b, told in both_ways}
