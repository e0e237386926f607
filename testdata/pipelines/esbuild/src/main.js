import file from "./app.wasm";
import { report } from "./report.js";

const { module, instance } = await WebAssembly.instantiateStreaming(fetch(new URL(file, import.meta.url)));
try {
  instance.exports.run(0, 20);
} catch (error) {
  await report(module, error);
}
