import init from "./app.wasm?init";
import url from "./app.wasm?url";
import { report } from "./report.js";

const { exports } = await init();
try {
  exports.run(0, 20);
} catch (error) {
  await report(await WebAssembly.compileStreaming(fetch(url)), error);
}
