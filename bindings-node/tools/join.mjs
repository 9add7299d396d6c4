/**
 * Joins the compiled modules that an entry needs into one file: finding and reading sixty of them is most of what loading the package
 * takes, and a server on stdio is started anew by every client.
 */
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** What the compiler wrote, and what modules load when it is needed. */
const REQUIRE = /\brequire\((["'])(\.{1,2}\/[^"']+)\1\)/g;

/** The text of the entry with all modules in it, for the folder of the entry; `names` is what it exports. */
export function joined(entry, names, resolve) {
  const root = dirname(entry);
  const modules = new Map();
  const add = (file) => {
    const id = relative(root, file);
    if (modules.has(id)) return id;
    modules.set(id, '');
    const text = readFileSync(file, 'utf8').replace(/^\/\/# sourceMappingURL=.*$/m, '');
    const inner = text.replace(
      REQUIRE,
      (_call, _quote, path) => `$(${JSON.stringify(add(resolve(join(dirname(file), path))))})`,
    );
    // In parentheses, so that engines compile it at once instead of looking through it first.
    modules.set(id, `${JSON.stringify(id)}: (function (exports) {\n${inner}\n}),\n`);
    return id;
  };
  const first = add(entry);
  return [
    '"use strict";\nObject.defineProperty(exports, "__esModule", { value: true });\n',
    `const modules = {\n${[...modules.values()].join('')}};\nconst loaded = {};\n`,
    'function $(id) {\n  let exports = loaded[id];\n  if (exports === undefined) {\n    exports = loaded[id] = {};\n',
    '    modules[id](exports);\n  }\n  return exports;\n}\n',
    `const entry = $(${JSON.stringify(first)});\n`,
    ...names.map((name) => `exports.${name} = entry.${name};\n`),
  ].join('');
}
