// Runs a WASI program with arguments, as a page would: it prints the stack of what
// it throws.
import { readFileSync } from "node:fs";
import { WASI } from "node:wasi";

const [path, ...args] = process.argv.slice(2);
const wasi = new WASI({ version: "preview1", args: [path, ...args], returnOnExit: true });
const { instance } = await WebAssembly.instantiate(readFileSync(path), wasi.getImportObject());
try {
  process.exitCode = wasi.start(instance);
} catch (err) {
  console.error(err.stack);
  process.exitCode = 70;
}
