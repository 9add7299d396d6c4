/**
 * Joins the compiled modules that an entry needs into one file: finding and reading sixty of them is most of what loading the package
 * takes, and a server on stdio is started anew by every client.
 */
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** What the compiler wrote, and what modules load when it is needed. */
const REQUIRE = /\brequire\((["'])(\.{1,2}\/[^"']+)\1\)/g;

/** The text of a module for the folder of `entry` that exports what `entry` does, with all modules in it. */
export function joined(entry, resolve) {
  const root = dirname(entry);
  const modules = new Map();
  const add = (file) => {
    const id = relative(root, file);
    if (modules.has(id)) return id;
    modules.set(id, '');
    const text = readFileSync(file, 'utf8').replace(/^\/\/# sourceMappingURL=.*$/m, '');
    const inner = text.replace(REQUIRE, (_call, _quote, path) => `$("${add(resolve(join(dirname(file), path)))}")`);
    // In parentheses, so that engines compile it at once instead of looking through it first.
    modules.set(id, `"${id}": (function (exports) {\n${inner}\n}),\n`);
    return id;
  };
  const first = add(entry);
  return [
    `"use strict";\nconst modules = {\n${[...modules.values()].join('')}};\nconst loaded = {};\n`,
    'function $(id) {\n  let exports = loaded[id];\n  if (exports === undefined) {\n    exports = loaded[id] = {};\n',
    `    modules[id](exports);\n  }\n  return exports;\n}\nmodule.exports = $("${first}");\n`,
  ].join('');
}

/** A module that passes on what `joined` made. Apart, since Node reads all of a module that is imported to learn its names. */
export function facade(path, names) {
  const lines = names.map((name) => `exports.${name} = all.${name};\n`);
  return `"use strict";\nObject.defineProperty(exports, "__esModule", { value: true });\nconst all = require("${path}");\n${lines.join('')}`;
}
