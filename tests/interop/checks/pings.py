"""ibping and ibsysstat: a server on one machine, clients on others."""
import re
import socket

from lab import processes


def check(lab):
    lab.manager().wait_up(120)
    model = lab.discovered()
    with lab.report.program("ibping") as check:
        server = model.cas[-1]
        lab.background(["ibping", "-S"], "ibping-server", ca=server.id)

        def answers():
            one = lab.fabric.run("ibping", "-c", "1", str(server.lid), seconds=30)
            return " 0% packet loss" in one.out
        processes.wait_until("an answer of ibping's server", answers, 30)
        for client in (model.local, model.cas[len(model.cas) // 2]):
            told = check.clean(lab.fabric.run("ibping", "-c", "3", str(server.lid), ca=client.id, seconds=30)).out
            check.that("3 packets transmitted, 3 received, 0% packet loss" in told, f"{told!r}")
            check.equal("answers", len(re.findall(r"^Pong from ", told, re.MULTILINE)), 3)
        by_guid = lab.fabric.run("ibping", "-c", "1", "-G", hex(server.port_guids[1]), seconds=30)
        check.that(" 0% packet loss" in check.clean(by_guid).out, f"{by_guid}")

    with lab.report.program("ibping and madrigal ping") as check:
        told = check.clean(lab.fabric.madrigal("ping", str(server.lid), "-c", "2", seconds=30))
        check.that("2" in told.out, f"{told}")

    with lab.report.program("ibsysstat") as check:
        lab.background(["ibsysstat", "-S"], "ibsysstat-server", ca=server.id)
        name = socket.gethostname()

        def told():
            return lab.fabric.run("ibsysstat", str(server.lid), "host", seconds=30)
        processes.wait_until("ibsysstat's server tells its host", lambda: name in told().out, 30)
        check.clean(told())
        check.that("ping succeeded" in check.clean(lab.fabric.run("ibsysstat", str(server.lid))).out, "no ping")
        check.clean(lab.fabric.run("ibsysstat", str(server.lid), "cpu"))
