// Runs a program of testdata/pipelines and prints the stacks of its crashes:
//
//	node crash-cargo.mjs MODULE       calls run(WHICH, N)
//	node crash-cargo.mjs MODULE wasi  starts the program with the argument WHICH
import { readFileSync } from 'node:fs';

const [file, mode] = process.argv.slice(2);
Error.stackTraceLimit = 50;
const module = new WebAssembly.Module(readFileSync(file));

async function start(which) {
  if (mode === 'wasi') {
    const { WASI } = await import('node:wasi');
    const wasi = new WASI({ version: 'preview1', args: ['program', String(which)], env: {} });
    return () => wasi.start(new WebAssembly.Instance(module, wasi.getImportObject()));
  }
  const { exports } = new WebAssembly.Instance(module, {});
  console.log(`before ${exports.run(which, 7)}`);
  return () => exports.run(which, 20);
}

for (const which of [0, 1]) {
  console.log(`== case ${which}`);
  const crash = await start(which);
  try {
    crash();
    console.log('there was no crash');
  } catch (e) {
    console.log(e.stack);
  }
}
