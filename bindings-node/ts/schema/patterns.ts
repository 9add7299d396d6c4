/**
 * Regular expressions as `pattern`: only such as mean the same to everybody who reads the schema.
 *
 * A pattern is left out where a schema would say something else than the expression does: flags have no form in JSON Schema, and
 * engines that run in linear time, the one of the core among them, know neither look-around nor back references. Nothing is lost but
 * a hint: the library still checks the value.
 *
 * @module
 */

import { type Engine, native } from '../native';

/** Flags that change what is matched. */
const MEANINGFUL = /[ims]/;
/** A longer pattern costs a model more than it tells. */
const MAX_LENGTH = 300;

/** The `pattern` for an expression, or undefined. */
export function patternOf(expression: RegExp): string | undefined {
  return MEANINGFUL.test(expression.flags) ? undefined : portable(expression.source);
}

/** The pattern, or undefined when it cannot be published. */
export function portable(source: string): string | undefined {
  return source.length <= MAX_LENGTH && isTaken(source) ? source : undefined;
}

/** The keywords for some expressions that all have to match. */
export function patterns(expressions: readonly RegExp[]): Record<string, unknown> {
  const sources = [...new Set(expressions.map(patternOf))].filter((source) => source !== undefined);
  if (sources.length === 0) {
    return {};
  }
  return sources.length === 1 ? { pattern: sources[0] } : { allOf: sources.map((pattern) => ({ pattern })) };
}

/** A text that has to be matched as it is. */
export function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

const known = new Map<string, boolean>();
let probe: Engine | undefined;

/** Whether the core takes it; it is asked, so that its rule is nowhere written twice. */
function isTaken(source: string): boolean {
  let taken = known.get(source);
  if (taken === undefined) {
    probe ??= new native.Engine('{"name":"patterns","version":"0"}', false, () => {});
    try {
      const pattern = { type: 'object', properties: { text: { type: 'string', pattern: source } } };
      probe.addTool(JSON.stringify({ name: 'pattern', inputSchema: pattern }), '{}');
      taken = true;
    } catch {
      taken = false;
    }
    known.set(source, taken);
  }
  return taken;
}
