/**
 * Answers as typed results: the protocol's own objects as they came, with every member a server adds (W17, Y14).
 *
 * @module
 */

import { InvalidRequest, ToolError } from '../errors';
import type { CallToolResult, InputRequiredResult } from '../types';
import type { Reader } from './request';

/** Reads an answer that must be an object. */
export function object<T>(answer: unknown): T {
  if (isObject(answer)) return answer as T;
  throw new InvalidRequest('the answer of the server is no object', { data: answer });
}

/** As `object` for tools; a result that says `isError` is thrown, with its texts. */
export function goodToolResult(answer: unknown): CallToolResult {
  const result = object<CallToolResult>(answer);
  if (result.isError !== true) return result;
  const blocks: unknown[] = Array.isArray(result.content) ? result.content : [];
  const texts = blocks.map((block) => (isObject(block) ? block.text : undefined));
  throw new ToolError(texts.filter((text) => typeof text === 'string').join('\n'));
}

/** Reads an answer that says only that it worked. */
export function nothing(): void {}

/** Reads an answer as it is. */
export function plain(answer: unknown): unknown {
  return answer;
}

/** Where the items of a listing are. The engine has seen to it that they are there, and left out what is none. */
export type List = 'tools' | 'resources' | 'resourceTemplates' | 'prompts';

/** Reads the items of a listing. */
export function itemsOf<T>(list: List): Reader<T[]> {
  return (answer) => object<Record<List, T[]>>(answer)[list];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const asking = new WeakSet<object>();

/** Reads an answer that may say what input it needs. */
export function byHand<T>(answer: unknown, isInput: boolean): T | InputRequiredResult {
  const result = object<T & object>(answer);
  if (isInput) asking.add(result);
  return result;
}

/**
 * Whether a result of `client.byHand` says what input it needs, instead of being the answer.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export function isInputRequired(result: object): result is InputRequiredResult {
  return asking.has(result);
}
