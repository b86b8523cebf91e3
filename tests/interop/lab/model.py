"""A fabric as data: what `madrigal discover --format json` tells of it."""
import json


class Node:
    def __init__(self, told):
        self.id = told["id"]
        self.type = told["type"]
        self.guid = int(told["guid"], 16)
        self.description = told.get("description", "")
        self.port_count = told["port_count"]
        self.vendor_id = told.get("vendor_id", 0)
        self.device_id = told.get("device_id", 0)
        self.system_image_guid = int(told.get("system_image_guid", "0"), 16)
        self.enhanced_port0 = told.get("enhanced_port0", False)
        self.links = {}      # port: (node, port) at the other end
        self.lids = {}       # end port: LID; 0 is that of a switch
        self.lmcs = {}       # the end port has 2 to this power LIDs
        self.port_guids = {}
        if self.is_switch:
            self.lids[0] = told.get("lid", 0)
            self.lmcs[0] = told.get("lmc", 0)
            self.port_guids[0] = int(told.get("port_guid", told["guid"]), 16)
        for port in told.get("ports", []):
            if "lid" in port:
                self.lids[port["port"]] = port["lid"]
                self.lmcs[port["port"]] = port.get("lmc", 0)
            if "guid" in port:
                self.port_guids[port["port"]] = int(port["guid"], 16)

    @property
    def is_switch(self):
        return self.type == "switch"

    @property
    def lid(self):
        """The LID of a switch, or of a CA's first port that has one."""
        return next((lid for _, lid in sorted(self.lids.items()) if lid), 0)

    def __repr__(self):
        return f'{self.id} "{self.description}"'


class Model:
    """All nodes by id, and the cables between them."""

    def __init__(self, text):
        told = json.loads(text)
        self.nodes = {node["id"]: Node(node) for node in told["nodes"]}
        self.cables = []
        for link in told["links"]:
            a, b = ((self.nodes[end["node"]], end["port"]) for end in link["ends"])
            a[0].links[a[1]] = b
            b[0].links[b[1]] = a
            self.cables.append((a, b, link["ends"]))
        self.local = next((node for node in self.nodes.values()
                           if node.guid == int(told["initiated_from"]["node"], 16)), None)

    @property
    def switches(self):
        return [node for node in self.nodes.values() if node.is_switch]

    @property
    def cas(self):
        return [node for node in self.nodes.values() if node.type == "ca"]

    def ends(self):
        """The LIDs of all end ports that have some: (node, port, LID)."""
        for node in self.nodes.values():
            for port, lid in sorted(node.lids.items()):
                if lid and (node.is_switch or port in node.links):
                    for more in range(1 << node.lmcs[port]):
                        yield node, port, lid + more

    def by_guid(self, guid):
        return next((node for node in self.nodes.values() if node.guid == guid), None)
