"""The fabrics that are simulated, by name: generated, so that the tests need no file but the program."""
import os
import subprocess

GENERATED = {
    # Two leaves, two hosts each: what anybody has in a rack.
    "rack": ["fat-tree", "--leaves", "2", "--hosts", "2", "--spines", "2"],
    "fat-tree-24": ["fat-tree", "--leaves", "4", "--hosts", "4", "--spines", "4"],
    # 36 leaves, 18 hosts each, 18 spines.
    "fat-tree-702": ["fat-tree", "--leaves", "36", "--hosts", "18", "--spines", "18"],
    # 64 hosts under three levels of 16 switches.
    "4-ary-3-tree": ["k-ary-n-tree", "-k", "4", "-n", "3"],
    "pods": ["three-level-fat-tree", "--pods", "3", "--leaves", "3", "--hosts", "3", "--spines", "2", "--cores", "2"],
    "torus-4x4": ["torus", "--dims", "4x4", "--hosts", "2"],
    "torus-5x5x5": ["torus", "--dims", "5x5x5", "--hosts", "2"],
    "hypercube-4": ["torus", "--dims", "2x2x2x2", "--hosts", "1"],
    "dragonfly": ["dragonfly"],
    "random": ["random", "--switches", "12", "--hosts", "24", "--degree", "4", "--seed", "7"],
    "fat-tree-5000": ["fat-tree", "--leaves", "130", "--hosts", "37", "--spines", "60"],
}

# How many levels of switches those have that are trees.
LEVELS = {"rack": 2, "fat-tree-24": 2, "fat-tree-702": 2, "fat-tree-5000": 2, "4-ary-3-tree": 3, "pods": 3}


def make(program, name, folder):
    """The file of a topology: generated here, or the one of that name in $MADRIGAL_TOPOLOGIES."""
    if name not in GENERATED:
        return os.path.join(os.environ["MADRIGAL_TOPOLOGIES"], name + ".topo")
    file = os.path.join(folder, name + ".topo")
    subprocess.run([program, "sim", "generate", *GENERATED[name], "-o", file], check=True, stdin=subprocess.DEVNULL)
    return file
