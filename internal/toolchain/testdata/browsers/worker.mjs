import { collect, instanceOf, one } from "./trap.mjs";

self.onmessage = async (e) => {
  try {
    let out = await collect(e.data.jobs, "worker", e.data.base);
    for (const [job, module] of e.data.posted) {
      out += one(job, "posted", "worker", instanceOf(module));
    }
    self.postMessage(out);
  } catch (err) {
    self.postMessage(`== failed\n${err}\n${err.stack}\n`);
  }
};
