"""A table of tools/gpu-check's timings: table.py RESULT.json"""

import json
import sys


def main():
    result = json.load(open(sys.argv[1], encoding="utf-8"))
    for size in result["timings"]:
        ours, peer = size.get("tessera") or {}, size.get("torch") or {}
        print(f"\n{size['name']}: {size['n']} samples x {size['k']} centers x {size['d']} features"
              f" (PyTorch {peer.get('torch', 'is missing')})")
        print(f"  {'piece':34} {'Tessera, s':>12} {'PyTorch, s':>12} {'ratio':>7}")
        for piece, seconds in ours.get("seconds", {}).items():
            other = peer.get("seconds", {}).get(piece)
            beside = f"{other:12.6f} {seconds / other:7.2f}" if other else f"{'-':>12} {'-':>7}"
            print(f"  {piece:34} {seconds:12.6f} {beside}")
        for name in ("tessera_error", "torch_error"):
            if size.get(name):
                print(f"  {name}: {size[name]}")


main()
