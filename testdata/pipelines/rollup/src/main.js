import load from "./app.wasm";
import { report } from "./report.js";

const { module, instance } = await load({});
try {
  instance.exports.run(0, 20);
} catch (error) {
  await report(module, error);
}
