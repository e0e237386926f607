import { run } from "./app.wasm";
import { report } from "./report.js";

try {
  run(0, 20);
} catch (error) {
  // This makes webpack emit the module a second time, under another name.
  const url = new URL("./app.wasm", import.meta.url);
  await report(await WebAssembly.compileStreaming(fetch(url)), error);
}
