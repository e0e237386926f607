import { wasm } from "@rollup/plugin-wasm";

export default {
  input: "src/main.js",
  output: { dir: "dist", format: "es" },
  plugins: [
    wasm({
      maxFileSize: 0, // up to 14 KiB, modules become base64 text in the script by default
      targetEnv: "browser",
      fileName: "[name]-[hash][extname]",
      publicPath: "dist/",
    }),
  ],
};
