import { strictEqual } from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import * as imported from 'omniport';

test('import and require give the same exports', () => {
  const required = createRequire(import.meta.url)('omniport') as Record<string, unknown>;
  const names = Object.keys(required).filter((name) => name !== '__esModule');
  strictEqual(Object.keys(imported).sort().join(), names.sort().join());
  for (const [name, value] of Object.entries(imported)) strictEqual(value, required[name], name);
});
