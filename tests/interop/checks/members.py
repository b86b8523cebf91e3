"""Clients of this library at subnet administration: a multicast group, its forwarding tables, reports."""
import os
import re
import subprocess

from lab import processes

# Who knows the SM_Key, which is 1 where nobody has set it, gets to see who the members are.
TRUSTED = ("--smkey", "1")


def check(lab):
    lab.manager().wait_up(120)
    model = lab.discovered()
    cas = [model.cas[0], model.cas[len(model.cas) // 2], model.cas[-2]]
    watched = model.cas[-1]

    with lab.report.program(f"{lab.kind}, a multicast group") as check:
        members = [start(lab, ca) for ca in cas]
        for member in members:
            processes.wait_until("a member has joined", lambda member=member: joined(member), 30)
        mlids = {joined(member)[1] for member in members}
        check.equal("MLIDs that the members were told", len(mlids), 1)
        mlid = int(mlids.pop(), 16)
        told = check.clean(lab.fabric.run("saquery", *TRUSTED, "-m", hex(mlid))).out
        for ca in cas:
            check.that(f"{ca.port_guids[1] & 0xffff:x}" in told, f"{ca!r} is no member in {told!r}")

        def spans():
            masks = read_masks(lab.fabric.run("dump_mfts").out, mlid)
            return {ca.id for ca in reached(model, masks, cas[0])} >= {ca.id for ca in cas}
        processes.wait_until("multicast tables lead from one member to all others", spans, 30)
        check.note = f"{len(cas)} members, MLID 0x{mlid:x}"

    with lab.report.program(f"{lab.kind}, reports of ports that come and go") as check:
        switch, port = watched.links[1]
        gid = f"{watched.port_guids[1]:016x}"
        for command, trap in (("down", 65), ("up", 64)):
            lab.fabric.tell(f"link {command} 0x{switch.guid:016x} {port}")
            for member in members:
                processes.wait_until(f"a report of trap {trap}", lambda member=member: reported(member, trap, gid), 30)

    with lab.report.program(f"{lab.kind}, members leave") as check:
        subscribed = check.clean(lab.fabric.run("saquery", *TRUSTED, "-I")).out
        check.equal("subscriptions", subscribed.count("InformInfoRecord dump:"), 2 * len(members))
        for member in members:
            member.process.stdin.close()
            check.equal("exit status of a member", member.process.wait(30), 0)
            check.equal("the last word of a member", member.out.splitlines()[-1], "left")
        told = check.clean(lab.fabric.run("saquery", *TRUSTED, "-I")).out
        check.that("InformInfoRecord" not in told, f"subscriptions are left: {told!r}")


def start(lab, ca):
    helper = os.path.join(os.path.dirname(lab.helper), "madrigal_interop_member")
    member = processes.Child([helper, f"{lab.fabric.uri}?ca={ca.id}"], lab.folder, f"member-{ca.id}",
                             stdin=subprocess.PIPE)
    lab.others.append(member)
    return member


def joined(member):
    member.alive_or_complain()
    return re.search(r"^joined (0x[0-9a-f]+)$", member.out, re.MULTILINE)


def reported(member, trap, guid):
    member.alive_or_complain()
    tail = guid.lstrip("0")[-4:].lstrip("0")
    return any(line.startswith(f"report {trap} ") and line.endswith(tail) for line in member.out.splitlines())


def read_masks(text, mlid):
    """Ports that each switch sends the group to, by node GUID, as dump_mfts shows them."""
    masks = {}
    guid, places = None, {}
    for line in text.splitlines():
        if match := re.match(r"Multicast mlids .* of switch .* guid (0x[0-9a-f]+)", line):
            guid = int(match[1], 16)
        elif line.strip().startswith("Ports:"):
            # The columns under which an x stands for a port; of its number only the last digit is above it.
            places = {match.start(): port for port, match in enumerate(re.finditer(r"\d", line))}
        elif guid is not None and line.lower().startswith(f"0x{mlid:04x}"):
            marks = [match.start() for match in re.finditer("x", line[6:])]
            masks[guid] = {port for place, port in places.items() if place - 6 in marks}
    return masks


def reached(model, masks, origin):
    """The CAs that a packet of the group from one member gets to."""
    found, seen = [], set()
    queue = [origin.links[1]]
    while queue:
        node, entered = queue.pop()
        if not node.is_switch:
            found.append(node)
            continue
        if node.id in seen:
            continue
        seen.add(node.id)
        queue += [node.links[port] for port in masks.get(node.guid, ()) if port != entered and port in node.links]
    return found + [origin]
