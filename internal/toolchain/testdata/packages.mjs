// Runs one of the packages that hold a module and prints what it computed:
// node packages.mjs NAME. Lies beside the node_modules folder that it uses.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const digest = (data) => createHash('sha256').update(data).digest('hex');
const text = 'the quick brown fox jumps over the lazy dog. '.repeat(50);

const runs = {
  async 'source-map'() {
    const { SourceMapConsumer, SourceMapGenerator } = require('source-map');
    const map = new SourceMapGenerator({ file: 'out.js' });
    for (let line = 1; line <= 50; line++) {
      map.addMapping({ generated: { line, column: 3 }, original: { line: line * 2, column: 1 }, source: 'in.ts', name: `n${line}` });
    }
    return SourceMapConsumer.with(map.toJSON(), null, (c) => [7, 30].map((line) => c.originalPositionFor({ line, column: 4 })));
  },
  async 'sql.js'() {
    const SQL = await require('sql.js')();
    const db = new SQL.Database();
    db.run('create table t(a, b); insert into t values (1, "x"), (2, "y"), (3, "z")');
    return [db.exec('select sum(a), group_concat(b), sqlite_version() from t'), digest(db.export())];
  },
  async 'web-tree-sitter'() {
    const sitter = await import('web-tree-sitter');
    await sitter.Parser.init();
    return [sitter.LANGUAGE_VERSION, sitter.MIN_COMPATIBLE_VERSION, new sitter.Parser().getIncludedRanges()];
  },
  async 'vscode-oniguruma'() {
    const { loadWASM, OnigScanner, OnigString } = require('vscode-oniguruma');
    await loadWASM(readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm')));
    const scanner = new OnigScanner(['(?<word>ju\\w+)', 'l(a)zy', '\\p{Lu}']);
    return [0, 30, 60].map((at) => scanner.findNextMatchSync(new OnigString(text), at)?.captureIndices);
  },
  async 'brotli-wasm'() {
    const brotli = require('brotli-wasm');
    const packed = brotli.compress(Buffer.from(text), { quality: 9 });
    return [digest(packed), Buffer.from(brotli.decompress(packed)).toString() === text];
  },
  async 'argon2-browser'() {
    globalThis.fetch = undefined; // its loader would take Node for a browser
    const argon2 = require('argon2-browser');
    return (await argon2.hash({ pass: 'password', salt: 'somesaltsomesalt', time: 2, mem: 1024, hashLen: 24 })).encoded;
  },
  async 'esbuild-wasm'() {
    const esbuild = require('esbuild-wasm');
    const { code } = await esbuild.transform('export const f = (a: number): number => a ?? 1', { loader: 'ts', target: 'es2018' });
    return [esbuild.version, code];
  },
  async '@resvg/resvg-wasm'() {
    const { initWasm, Resvg } = require('@resvg/resvg-wasm');
    await initWasm(readFileSync(require.resolve('@resvg/resvg-wasm/index_bg.wasm')));
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><circle cx="30" cy="30" r="20" fill="#369"/></svg>';
    const image = new Resvg(svg).render();
    return [image.width, image.height, digest(image.asPng())];
  },
  async '@rollup/wasm-node'() {
    const { rollup } = require('@rollup/wasm-node');
    const files = { main: 'import { a } from "other"; console.log(a);', other: 'export const a = 1; export const unused = 2;' };
    const bundle = await rollup({ input: 'main', plugins: [{ resolveId: (id) => id, load: (id) => files[id] }] });
    return (await bundle.generate({ format: 'es' })).output.map((o) => o.code);
  },
  async tiktoken() {
    const encoding = require('tiktoken').get_encoding('cl100k_base');
    const tokens = encoding.encode(text);
    return [tokens.length, digest(Buffer.from(tokens.buffer))];
  },
};

process.stdout.write(JSON.stringify(await runs[process.argv[2]]()), () => process.exit(0));
