#!/usr/bin/env python3
"""Measures a check beside llvm-dwarfdump --verify and prints a Markdown table.

    go build -o /tmp/wasm-debugid ./cmd/wasm-debugid
    scripts/bench-index/build.sh DIR
    scripts/bench-check/measure.py /tmp/wasm-debugid DIR/bench-50.wasm DIR/bench-200.wasm DIR/bench-500.wasm

RUNS=7 sets how often each command runs. The tools take turns, so that other work
on the machine meets all of them; the least processor time and the least elapsed
time are kept, because other work only ever adds.
"""
import os, subprocess, sys, time

RUNS = int(os.environ.get("RUNS", "5"))
DWARFDUMP = os.environ.get("DWARFDUMP", "llvm-dwarfdump-22")
ours, files = sys.argv[1], sys.argv[2:]


def once(cmd):
    start = time.monotonic()
    p = subprocess.Popen(cmd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, _, usage = os.wait4(p.pid, 0)
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


print("load before the run: " + open("/proc/loadavg").read().strip() if os.path.exists("/proc/loadavg") else "")
print("processors: %d\n" % os.cpu_count())
print("| file | size, MB | tool | processor, s | elapsed, s | peak RSS, MiB | processor, of ours |")
print("|---|---:|---|---:|---:|---:|---:|")
for path in files:
    tools = {"wasm-debugid check": [ours, "check", "-q", path], os.path.basename(DWARFDUMP) + " --verify": [DWARFDUMP, "--verify", path]}
    runs = {name: [] for name in tools}
    for _ in range(RUNS):
        for name, cmd in tools.items():
            runs[name].append(once(cmd))
    base = None
    for name, got in runs.items():
        wall, cpu, rss = (min(r[i] for r in got) for i in range(3))
        base = base or cpu
        print(f"| {os.path.basename(path)} | {os.path.getsize(path)/1e6:.0f} | {name} | {cpu:.2f} | {wall:.2f} | {rss:.0f} | {cpu/base:.1f} × |")
