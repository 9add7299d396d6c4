/**
 * wrap.mjs [DIST]: joins the compiled package into one file, and writes its ECMAScript faces, so that `import` and `require` give the
 * very same classes.
 *
 * Each name is listed: no runtime or bundler then has to find out what a CommonJS module exports, and there is no default export.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { facade, joined } from './join.mjs';

const dist = resolve(process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), '../dist'));

/** The file that `require` means by a path. */
function fileOf(path) {
  return existsSync(`${path}.js`) ? `${path}.js` : join(path, 'index.js');
}

/** The names that a module compiled by tsc exports; those of `export *` are followed. */
function exported(file) {
  const text = readFileSync(file, 'utf8');
  const names = new Set();
  for (const [, name] of text.matchAll(/^Object\.defineProperty\(exports, "(\w+)"/gm)) names.add(name);
  for (const [, name] of text.matchAll(/^exports\.(\w+) = (?!void 0)/gm)) names.add(name);
  for (const [, module] of text.matchAll(/^__exportStar\(require\("(\..+?)"\), exports\);/gm)) {
    for (const name of exported(fileOf(join(dirname(file), module)))) names.add(name);
  }
  names.delete('__esModule');
  return [...names].sort();
}

for (const entry of ['index', 'types/index']) {
  const file = join(dist, entry);
  const names = exported(`${file}.js`);
  if (names.length > 0) {
    writeFileSync(join(dirname(file), 'joined.js'), joined(`${file}.js`, fileOf));
    writeFileSync(`${file}.js`, facade('./joined.js', names));
  }
  const list =
    names.length === 0
      ? 'export {};\n'
      : `export {\n${names.map((name) => `  ${name},\n`).join('')}} from './index.js';\n`;
  writeFileSync(`${file}.mjs`, list);
  writeFileSync(`${file}.d.mts`, "export * from './index.js';\n");
}
