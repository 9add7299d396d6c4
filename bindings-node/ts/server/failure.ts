/**
 * What a handler threw, as the caller learns of it, and as the log does.
 *
 * @module
 */

import { describe, OmniportError, ToolError } from '../errors';
import { stringify, whole } from './integers';
import { ERROR, log } from './log';

/** The arguments of `Engine.fail` after the token. */
export interface Failure {
  kind: string;
  code: number | null;
  message: string;
  data: string | null;
}

/** Never throws, whatever the thing does when it is looked at: a call without an answer would hang (P11). */
export function failureOf(thrown: unknown): Failure {
  try {
    const failure = look(thrown);
    failure.message = whole(failure.message);
    return failure;
  } catch {
    return { kind: 'internal', code: null, message: 'The handler threw something that cannot be shown', data: null };
  }
}

/** Logs the stack. Arguments and results are never logged (security 47); what the model was told on purpose is no fault. */
export function report(subject: string, thrown: unknown): void {
  try {
    if (thrown instanceof OmniportError || isForModel(thrown)) return;
    if (thrown instanceof Error) log(ERROR, `${subject} failed`, thrown);
    else log(ERROR, `${subject} failed: ${textOf(thrown)}`);
  } catch {
    log(ERROR, `${subject} failed with something that cannot be shown`);
  }
}

function look(thrown: unknown): Failure {
  if (thrown instanceof OmniportError) {
    const code = Number.isSafeInteger(thrown.code) ? thrown.code : null;
    const kind = code === null ? thrown.kind : 'protocol';
    return { kind, code, message: describe(thrown), data: dataOf(thrown.data) };
  }
  if (isForModel(thrown)) return { kind: 'tool', code: null, message: textOf(thrown), data: null };
  return foreign(thrown) ?? { kind: 'internal', code: null, message: textOf(thrown), data: null };
}

/** Whether its text is meant for the model: also the `ToolError` of another package, and arguments that a schema refused. */
function isForModel(thrown: unknown): thrown is Error {
  if (thrown instanceof ToolError) return true;
  return thrown instanceof Error && (thrown.name === 'ToolError' || thrown.name === 'SchemaProblems');
}

/** The protocol error of another SDK. By its name: other errors have numeric codes as well (DOMException). */
function foreign(thrown: unknown): Failure | undefined {
  if (!(thrown instanceof Error) || !['McpError', 'ProtocolError'].includes(thrown.constructor.name)) return undefined;
  const { code, data, message } = thrown as Error & { code?: unknown; data?: unknown };
  if (!Number.isSafeInteger(code)) return undefined;
  return { kind: 'protocol', code: code as number, message, data: dataOf(data) };
}

/** The `data` of an error; what cannot be written (a list that holds itself) is left out rather than the whole error. */
function dataOf(data: unknown): string | null {
  if (data === undefined || data === null) return null;
  try {
    return stringify(data, 'data');
  } catch {
    return null;
  }
}

/** The text of whatever was thrown. */
export function textOf(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown === '' ? 'The handler threw an empty text' : thrown;
  if (typeof thrown !== 'object' || thrown === null) return `The handler threw ${String(thrown)}`;
  const { message, name, errors } = thrown as { message?: unknown; name?: unknown; errors?: unknown };
  if (thrown instanceof AggregateError && Array.isArray(errors) && errors.length > 0) {
    const inner = errors.map(textOf).join('; ');
    return message ? `${String(message)}: ${inner}` : inner;
  }
  if (typeof message === 'string' && message !== '') return message;
  if (thrown instanceof Error) return typeof name === 'string' && name !== '' ? name : thrown.constructor.name;
  return stringify(thrown, 'thrown');
}
