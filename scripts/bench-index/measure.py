#!/usr/bin/env python3
"""Measures the index beside other tools and prints Markdown tables.

    go build -o /tmp/wasm-debugid ./cmd/wasm-debugid
    scripts/bench-index/build.sh DIR
    scripts/bench-index/measure.py DIR /tmp/wasm-debugid [gimli's addr2line]

Each command line runs several times; the least processor time and the least
elapsed time are kept, because other work on the machine only ever adds.
"""
import json, os, resource, subprocess, sys, time

RUNS = 9
directory, ours = sys.argv[1], sys.argv[2]
gimli = sys.argv[3] if len(sys.argv) > 3 else None


def once(cmd):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    p = subprocess.Popen(cmd, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    out = p.stdout.read().decode()
    _, status, usage = os.wait4(p.pid, 0)
    wall = time.monotonic() - start
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, out


def measure(cmd):
    runs = [once(cmd) for _ in range(RUNS)]
    return min(r[0] for r in runs), min(r[1] for r in runs), min(r[2] for r in runs), runs[0][3]


def benchmark(path, name):
    env = dict(os.environ, WASM_DEBUGID_BENCH=path)
    cmd = ["go", "test", "-run", "none", "-bench", f"^Benchmark{name}$", "-benchtime", "5x" if "Build" in name else "2s", "-count", "3", "./debugfile"]
    text = subprocess.run(cmd, env=env, capture_output=True, text=True, check=True).stdout
    lines = [l.split() for l in text.splitlines() if l.startswith("Benchmark")]
    best = min(lines, key=lambda l: float(l[2]))
    return {unit: float(value) for value, unit in zip(best[2::2], best[3::2])}


files = [os.path.join(directory, f) for f in ("bench-50.wasm", "bench-500.wasm")]
print("| file | size, MB | first answer | elapsed, ms | processor, ms | peak memory, MB | processor, of ours |")
print("|---|---|---|---|---|---|---|")
for path in files:
    size = os.path.getsize(path) / 1e6
    for function in (6000, 12000):
        # The first function from there on that has a line at byte 40.
        while True:
            doc = json.loads(once([ours, "addr2line", "-q", "--json", "-e", path, "--offsets", "function", f"{function}:40"])[3])
            if not doc["addresses"][0]["reason"]:
                break
            function += 1
        at = hex(doc["addresses"][0]["code_offset"])
        tools = {
            "wasm-debugid addr2line": [ours, "addr2line", "-q", "-fi", "-e", path, "--offsets", "code", at],
            "llvm-symbolizer 22": ["llvm-symbolizer-22", "--functions=short", "-e", path, at],
            "llvm-addr2line 22": ["llvm-addr2line-22", "-fi", "-e", path, at],
        }
        if gimli:
            tools["addr2line (gimli)"] = [gimli, "-fi", "-e", path, at]
        base = None
        for name, cmd in tools.items():
            wall, cpu, rss, out = measure(cmd)
            base = base or cpu
            position = next((l for l in out.splitlines() if ":" in l and "/" in l), "?").split(":")
            line = doc["addresses"][0]["frames"][0]["line"]
            note = "" if str(line) in position else " (another line)"
            print(f"| {os.path.basename(path)} | {size:.0f} | {name}, {at}{note} | {wall*1000:.0f} | {cpu*1000:.0f} | {rss:.0f} | {cpu/base:.1f} × |")
print()
print("| file | whole index, 1 worker: ms | ms for a MB of .debug_info and .debug_line | 2 workers: ms | index, MB | lookups a second | allocations for each |")
print("|---|---|---|---|---|---|---|")
for path in files:
    one, two, look = (benchmark(path, n) for n in ("Build1", "Build2", "Lookup"))
    print(f"| {os.path.basename(path)} | {one['ns/op']/1e6:.0f} | {1000/one['MB/s']:.1f} | {two['ns/op']/1e6:.0f} | {one['MB-index']:.0f} | {1e9/look['ns/op']/1e6:.1f} million | {look['allocs/op']:.0f} |")
