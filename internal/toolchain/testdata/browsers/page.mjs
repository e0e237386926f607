import { collect } from "./trap.mjs";

async function send(text) {
  await fetch("/result" + location.search, { method: "POST", body: text });
}

async function inWorker(jobs) {
  const worker = new Worker("worker.mjs", { type: "module" });
  const answer = new Promise((resolve, reject) => {
    worker.onmessage = (e) => resolve(e.data);
    worker.onerror = (e) => reject(new Error("worker: " + e.message));
  });
  // A module that was compiled here and is instantiated there.
  const posted = [];
  for (const job of jobs) {
    posted.push([job, await WebAssembly.compileStreaming(fetch(new URL(job.url, location.href)))]);
  }
  worker.postMessage({ jobs, posted, base: location.href });
  return answer;
}

try {
  const jobs = await (await fetch("jobs.json")).json();
  await send((await collect(jobs, "page", location.href)) + (await inWorker(jobs)) + "== done\n");
} catch (e) {
  await send(`== failed\n${e}\n${e.stack}\n`);
}
