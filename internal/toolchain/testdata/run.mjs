// Loads and runs pairs: node run.mjs JOBS.json. Prints one JSON array with what
// was seen of each module; the caller compares.
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const jobs = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const needsWASI = jobs.some((j) => j.mode === 'wasi');
const { WASI } = needsWASI ? await import('node:wasi') : {};
Error.stackTraceLimit = 50;

const describe = (list) => list.map((e) => [e.module, e.name, e.kind].filter((x) => x !== undefined).join(' '));

// frames gives the wasm frames of a stack as function index and code offset.
function frames(error, codeStart) {
  return [...String(error.stack).matchAll(/wasm-function\[(\d+)\]:0x([0-9a-f]+)/g)].map(
    (m) => `${m[1]}+${parseInt(m[2], 16) - codeStart}`,
  );
}

function outcome(codeStart, call) {
  try {
    return String(call());
  } catch (e) {
    if (e instanceof WebAssembly.RuntimeError || e instanceof WebAssembly.Exception) {
      return `${e.constructor.name} ${e.message ?? ''} at ${frames(e, codeStart).join(' ')}`;
    }
    throw e;
  }
}

function stubs(module, job) {
  const imports = {};
  for (const i of WebAssembly.Module.imports(module)) {
    const into = (imports[i.module] ??= {});
    if (i.kind === 'function') into[i.name] = () => 0;
    else if (i.kind === 'memory') into[i.name] = new WebAssembly.Memory(job.memory);
    else throw new Error(`no stub for the import ${i.module} ${i.name} (${i.kind})`);
  }
  return imports;
}

function exportsRun(module, file, job) {
  const { exports } = new WebAssembly.Instance(module, stubs(module, job));
  exports.__wasm_call_ctors?.();
  exports._initialize?.();
  const seen = {};
  for (const n of [3, 20]) {
    for (let which = 0; which < 10; which++) {
      seen[`${which},${n}`] = outcome(file.codeStart, () => exports.run(which, n));
    }
  }
  return seen;
}

function wasiRun(module, file, job, number) {
  const path = join(tmpdir(), `wasm-debugid-run-${process.pid}-${number}.txt`);
  const fd = openSync(path, 'w+');
  try {
    const wasi = new WASI({ version: 'preview1', args: ['program', ...job.args], env: {}, stdout: fd, returnOnExit: true });
    const instance = new WebAssembly.Instance(module, wasi.getImportObject());
    return { code: wasi.start(instance), stdout: readFileSync(path, 'latin1') };
  } finally {
    closeSync(fd);
    rmSync(path);
  }
}

function look(file, job, number) {
  const bytes = readFileSync(file.path);
  const seen = { valid: WebAssembly.validate(bytes) };
  if (!seen.valid || !file.run) return seen;
  const module = new WebAssembly.Module(bytes);
  seen.exports = describe(WebAssembly.Module.exports(module));
  seen.imports = describe(WebAssembly.Module.imports(module));
  seen.buildID = WebAssembly.Module.customSections(module, 'build_id').map((b) => Buffer.from(b).toString('hex'));
  seen.debug = WebAssembly.Module.customSections(module, '.debug_info').length;
  if (job.mode === 'run') seen.outcome = exportsRun(module, file, job);
  if (job.mode === 'wasi') seen.outcome = wasiRun(module, file, job, number);
  return seen;
}

const results = [];
for (const job of jobs) {
  const result = { files: {} };
  for (const [name, file] of Object.entries(job.files)) {
    try {
      result.files[name] = look(file, job, results.length);
    } catch (e) {
      result.files[name] = { error: String(e.stack ?? e) };
    }
  }
  results.push(result);
}
process.stdout.write(JSON.stringify(results), () => process.exit(0));
