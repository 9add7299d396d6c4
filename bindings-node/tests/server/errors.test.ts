/** Error classes: every fact, and `instanceof` across copies of the package. */
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';

import type * as omniport from 'omniport';
import { InvalidParams, LimitError, NotFound, OmniportError, RuleError, ToolError } from 'omniport';

const require = createRequire(import.meta.url);
const folder = mkdtempSync(join(tmpdir(), 'omniport-'));
after(() => rmSync(folder, { recursive: true }));

/** The classes of a second copy of the package, as a bundle would hold it. */
function copy(): typeof omniport {
  const file = join(folder, 'errors.js');
  copyFileSync(join(dirname(require.resolve('omniport')), 'errors.js'), file);
  return require(file);
}

test('instanceof knows the errors of another copy of the package (N07)', () => {
  const other = copy();
  assert.notEqual(other.NotFound, NotFound);
  const error = new other.NotFound('x');
  assert.ok(error instanceof NotFound);
  assert.ok(error instanceof InvalidParams);
  assert.ok(error instanceof OmniportError);
  assert.ok(error instanceof Error);
  assert.equal(error instanceof LimitError, false);
  assert.ok(new other.ToolError('x') instanceof ToolError);
  assert.equal(new other.ToolError('x') instanceof OmniportError, false);
  assert.ok(new other.RuleError('x') instanceof RuleError);
});

test("classes that a user derives are known by identity, and are of the package's classes", () => {
  class Mine extends NotFound {}
  const error = new Mine('x');
  assert.ok(error instanceof Mine);
  assert.ok(error instanceof NotFound);
  assert.equal(error.name, 'Mine');
  assert.equal(error.kind, 'not_found');
  assert.equal(new NotFound('x') instanceof Mine, false);
});

test('nothing else is an instance, whatever it does when it is looked at', () => {
  const hostile = new Proxy({}, { get: () => assert.fail('looked at') });
  for (const value of [null, undefined, 'x', 1, {}, new Error('x'), hostile]) {
    assert.equal(value instanceof OmniportError, false);
    assert.equal(value instanceof ToolError, false);
  }
});

test('an error carries every fact', () => {
  const cause = new Error('inner');
  const error = new LimitError('too much', {
    code: -1,
    data: { n: 1 },
    retry: true,
    context: { limit: 'depth' },
    cause,
  });
  const { name, kind, code, data, retry, context, message } = error;
  assert.deepEqual(
    { name, kind, code, data, retry, context, message, cause: error.cause },
    {
      name: 'LimitError',
      kind: 'limit',
      code: -1,
      data: { n: 1 },
      retry: true,
      context: { limit: 'depth' },
      message: 'too much',
      cause,
    },
  );
  assert.equal(`${error}`, 'LimitError: too much [limit: depth]');
  assert.equal(new NotFound().code, null);
});
