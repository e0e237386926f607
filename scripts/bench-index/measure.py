#!/usr/bin/env python3
"""Measures the index beside other tools and prints Markdown tables.

    go build -o /tmp/wasm-debugid ./cmd/wasm-debugid
    scripts/bench-index/build.sh DIR
    scripts/bench-index/measure.py DIR /tmp/wasm-debugid [gimli's addr2line]
    scripts/bench-index/measure.py --index DIR

The second form measures the whole index alone.

Each command line runs several times; the least processor time and the least
elapsed time are kept, because other work on the machine only ever adds.
"""
import json, os, resource, subprocess, sys, tempfile, time

RUNS = 9
alone = sys.argv[1] == "--index"
directory, ours = (sys.argv[2], None) if alone else (sys.argv[1], sys.argv[2])
gimli = sys.argv[3] if not alone and len(sys.argv) > 3 else None


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


scratch = tempfile.TemporaryDirectory()
test = os.path.join(scratch.name, "debugfile.test")
subprocess.run(["go", "test", "-c", "-o", test, "./debugfile"], check=True)


def index(path, workers):
    """Indexes a file once in each of several processes: elapsed and processor time, and bytes of the index."""
    os.environ["WASM_DEBUGID_BENCH"] = path
    runs = [once([test, "-test.run", "none", "-test.bench", f"^BenchmarkBuild{workers}$", "-test.benchtime", "1x"]) for _ in range(RUNS)]
    reported = [l.split() for r in runs for l in r[3].splitlines() if l.startswith("Benchmark")]
    elapsed = min(float(l[l.index("ns/op") - 1]) for l in reported) / 1e9
    return elapsed, min(r[1] for r in runs), float(reported[0][reported[0].index("MB-index") - 1])


def lookups(path):
    os.environ["WASM_DEBUGID_BENCH"] = path
    out = once([test, "-test.run", "none", "-test.bench", "^BenchmarkLookup$", "-test.count", "5"])[3]
    reported = [l.split() for l in out.splitlines() if l.startswith("Benchmark")]
    best = min(reported, key=lambda l: float(l[2]))
    return 1e9 / float(best[2]), int(best[best.index("allocs/op") - 1])


def dwarf_size(path):
    """Bytes of .debug_info and .debug_line."""
    total = 0
    with open(path, "rb") as f:
        def leb():
            value = shift = 0
            while True:
                b = f.read(1)[0]
                value |= (b & 0x7F) << shift
                shift += 7
                if b < 0x80:
                    return value

        f.seek(8)
        while kind := f.read(1):
            size = leb()
            end = f.tell() + size
            if kind == b"\0":
                name = f.read(leb()).decode()
                if name in (".debug_info", ".debug_line"):
                    total += end - f.tell()
            f.seek(end)
    return total


files = [os.path.join(directory, f) for f in ("bench-50.wasm", "bench-500.wasm")]
def first_answers():
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


if not alone:
    first_answers()
print("| file | whole index, processor, ms | ms for a MB of .debug_info and .debug_line | elapsed, 1 worker, ms | 2 workers, ms | index, MB | lookups a second | allocations for each |")
print("|---|---|---|---|---|---|---|---|")
for path in files:
    one, cpu, memory = index(path, 1)
    two, _, _ = index(path, 2)
    rate, allocs = lookups(path)
    print(f"| {os.path.basename(path)} | {cpu*1000:.0f} | {cpu*1e9/dwarf_size(path):.1f} | {one*1000:.0f} | {two*1000:.0f} | {memory:.0f} | {rate/1e6:.1f} million | {allocs} |")
