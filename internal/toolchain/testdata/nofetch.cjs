// Emscripten 3.1.6's glue takes a Node.js that has fetch for a browser.
globalThis.fetch = undefined;
