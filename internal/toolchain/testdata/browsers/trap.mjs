// Loads modules in every way there is and collects the stack traces of their
// traps. It runs in pages, in workers and in Node.js.

// importsFor gives a module whatever it asks for.
function importsFor(module) {
  const all = {};
  for (const i of WebAssembly.Module.imports(module)) {
    const stand = { function: () => () => 0, memory: () => new WebAssembly.Memory({ initial: 2 }), global: () => 0,
      table: () => new WebAssembly.Table({ initial: 1, element: "anyfunc" }) };
    (all[i.module] ??= {})[i.name] = stand[i.kind]();
  }
  return all;
}

async function bytes(url) { return (await fetch(url)).arrayBuffer(); }

// loads returns an instance of the module at url.
const loads = {
  async sync(url) {
    const m = new WebAssembly.Module(await bytes(url));
    return new WebAssembly.Instance(m, importsFor(m));
  },
  async buffer(url) {
    const b = await bytes(url);
    return (await WebAssembly.instantiate(b, importsFor(await WebAssembly.compile(b)))).instance;
  },
  async compileStreaming(url) {
    const m = await WebAssembly.compileStreaming(fetch(url));
    return new WebAssembly.Instance(m, importsFor(m));
  },
  async streaming(url) {
    const m = await WebAssembly.compileStreaming(fetch(url));
    return (await WebAssembly.instantiateStreaming(fetch(url), importsFor(m))).instance;
  },
};

// trap runs one case and returns the trace.
function trap(instance, kase, arg) {
  try {
    instance.exports.run(kase, arg);
  } catch (e) {
    return `${e}\n${e.stack}`;
  }
  return "the module did not trap";
}

// one returns the traces of all cases of a module, each below a line that says
// what it is.
export function one(job, load, where, instance) {
  let out = "";
  for (const [kase, arg] of job.cases) {
    out += `== ${job.name} ${load} ${where} ${kase}\n${trap(instance, kase, arg)}\n`;
  }
  return out;
}

// instanceOf instantiates a module that came from elsewhere.
export function instanceOf(module) { return new WebAssembly.Instance(module, importsFor(module)); }

export async function collect(jobs, where, base) {
  let out = "";
  for (const job of jobs) {
    for (const load of job.loads) {
      out += one(job, load, where, await loads[load](new URL(job.url, base)));
    }
  }
  return out;
}
