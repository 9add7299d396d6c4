/**
 * Schemas, read when the first one is given: a server without any, and one that only starts, need not load what reads them.
 *
 * @module
 */

import type { CompiledSchema, Form } from '../schema';

function schemas(): typeof import('../schema') {
  return require('../schema');
}

/** See `compile` of `../schema`. */
export function compile(given: unknown, side: 'input' | 'output', subject: string): CompiledSchema {
  return schemas().compile(given, side, subject);
}

/** See `formOf` of `../schema`. */
export function formOf(wanted: unknown): Form {
  return schemas().formOf(wanted);
}
