// node node.mjs BASE: what page.mjs does, in Node.js.
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";
import { collect, instanceOf, one } from "./trap.mjs";

Error.stackTraceLimit = 50;
if (isMainThread) {
  const base = process.argv[2];
  const jobs = await (await fetch(new URL("jobs.json", base))).json();
  let out = await collect(jobs, "page", base);
  const posted = [];
  for (const job of jobs) {
    posted.push([job, await WebAssembly.compileStreaming(fetch(new URL(job.url, base)))]);
  }
  const worker = new Worker(new URL(import.meta.url), { workerData: { jobs, posted, base } });
  out += await new Promise((resolve, reject) => worker.on("message", resolve).on("error", reject));
  process.stdout.write(out + "== done\n");
} else {
  const { jobs, posted, base } = workerData;
  let out = await collect(jobs, "worker", base);
  for (const [job, module] of posted) out += one(job, "posted", "worker", instanceOf(module));
  parentPort.postMessage(out);
}
