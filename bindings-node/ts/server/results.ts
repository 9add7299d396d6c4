/**
 * What handlers returned, as the text that the engine settles a call with.
 *
 * @module
 */

import { type ContentBlock, isBlock, isToolResult, type ToolResult, toBase64 } from '../content';
import { stringify } from './integers';

/** The value that a handler returned, to JSON text. */
export type Encode = (value: unknown) => string;

/** A JSON Schema, as far as it is looked at here. */
export interface PlainSchema {
  [keyword: string]: unknown;
}

const EMPTY = '{"content":[]}';
const ROOT = 'result';
const BLOCK_TYPES = new Set<unknown>(['text', 'image', 'audio', 'resource', 'resource_link']);
const RESULT_MEMBERS = new Set(['content', 'structuredContent', 'isError', '_meta']);

/** Makes the result text of a tool; with a schema plain data is structured, without one only objects are. */
export function toolEncoder(schema: PlainSchema | undefined): Encode {
  if (schema === undefined) return encodeLoose;
  const ownContent = Object.hasOwn((schema.properties as object | undefined) ?? {}, 'content');
  const bareArray = schema.type === 'array' && !('items' in schema) && !('prefixItems' in schema);
  return (value) => encodeStructured(value, ownContent, bareArray);
}

function encodeStructured(value: unknown, ownContent: boolean, bareArray: boolean): string {
  if (value === null || value === undefined) return '{"content":[],"structuredContent":null}';
  if (bareArray && isMixed(value)) return stringify({ content: blocks(value), structuredContent: value }, ROOT);
  return (
    (typeof value === 'object' && encodeSpecial(value, ownContent)) || `{"structuredContent":${stringify(value, ROOT)}}`
  );
}

function encodeLoose(value: unknown): string {
  if (typeof value === 'string') return textResult(value);
  if (value === null || value === undefined) return EMPTY;
  const special = typeof value === 'object' && encodeSpecial(value, false);
  if (special) return special;
  const text = stringify(value, ROOT);
  return text.startsWith('{') ? `{"structuredContent":${text}}` : textResult(bare(text));
}

/** Results and blocks that say themselves what they are. */
function encodeSpecial(value: object, ownContent: boolean): string | undefined {
  if (Array.isArray(value)) return isMixed(value) ? stringify({ content: blocks(value) }, ROOT) : undefined;
  if (isBlock(value)) return stringify({ content: [value] }, ROOT);
  if (isToolResult(value)) return encodeToolResult(value);
  if (!ownContent && isWholeResult(value)) return stringify(value, ROOT);
  return undefined;
}

/** Whether it is data, for the parser of an output schema, and not a result that says itself what it is. */
export function isData(value: unknown, schema: PlainSchema): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (isBlock(value) || isToolResult(value) || isMixed(value)) return false;
  return Object.hasOwn((schema.properties as object | undefined) ?? {}, 'content') || !isWholeResult(value);
}

/** The protocol's own result object, which interfaces of TypeScript leave no other trace of: `{ content: [blocks], .. }` and nothing else. */
function isWholeResult(value: object): boolean {
  const content = (value as { content?: unknown }).content;
  if (!Array.isArray(content) || !content.every((item) => isBlock(item) || BLOCK_TYPES.has(item?.type))) return false;
  return Object.keys(value).every((name) => RESULT_MEMBERS.has(name));
}

function encodeToolResult(result: ToolResult): string {
  const members: Record<string, unknown> = {};
  const structured = result.structuredContent;
  if (result.content !== undefined || structured === undefined) members.content = blocks(result.content);
  if (structured !== undefined) members.structuredContent = structured;
  if (result.isError) members.isError = true;
  if (result.meta !== undefined) members._meta = result.meta;
  return stringify(members, ROOT);
}

function textResult(text: string): string {
  return `{"content":[{"type":"text","text":${stringify(text)}}]}`;
}

/** Content blocks for anything: blocks stay, text becomes a text block, other data its JSON text. */
export function blocks(value: unknown): ContentBlock[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value.flatMap(blocks);
  // By its shape only where content is asked for: a tool's plain result of this shape is data.
  if (isBlock(value) || (typeof value === 'object' && BLOCK_TYPES.has((value as ContentBlock).type))) {
    return [value as ContentBlock];
  }
  return [{ type: 'text', text: typeof value === 'string' ? value : bare(stringify(value, ROOT)) }];
}

/** Whether blocks are among the items, or in a list among them. */
function isMixed(value: unknown): boolean {
  return Array.isArray(value) && value.some((item) => isBlock(item) || isMixed(item));
}

/** JSON text for a reader: a text (a date, say) without its quotes. */
function bare(text: string): string {
  return text.startsWith('"') ? (JSON.parse(text) as string) : text;
}

/** The `contents` of a resource: text, bytes, JSON of other data, or contents that say themselves what they are. */
export function contents(uri: string, value: unknown, mimeType: string | undefined): unknown[] {
  if (value === null || value === undefined) return [];
  if (typeof value === 'string') return [{ uri, mimeType: mimeType ?? 'text/plain', text: value }];
  if (value instanceof Uint8Array || value instanceof ArrayBuffer) {
    return [{ uri, mimeType: mimeType ?? 'application/octet-stream', blob: toBase64(value) }];
  }
  if (Array.isArray(value) && value.length > 0 && value.every(isContents)) {
    return value.flatMap((item) => contents(uri, item, mimeType));
  }
  if (typeof value === 'object') {
    if (isBlock(value)) return [blockContents(uri, value, mimeType)];
    if (isContents(value)) return [value];
    const inner = (value as { contents?: unknown }).contents;
    if (Array.isArray(inner) && inner.every(isContents)) return inner;
  }
  return [{ uri, mimeType: mimeType ?? 'application/json', text: stringify(value, ROOT) }];
}

function blockContents(uri: string, block: ContentBlock, mimeType: string | undefined): unknown {
  if (block.type === 'resource') return block.resource;
  if (block.type === 'text') return { uri, mimeType: mimeType ?? 'text/plain', text: block.text };
  return 'data' in block ? { uri, mimeType: block.mimeType, blob: block.data } : block;
}

function isContents(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return (isBlock(value) && value.type === 'resource') || ('uri' in value && ('text' in value || 'blob' in value));
}

/** The result of a prompt: a text, a message, a block, a list of them, or a whole result. */
export function messages(value: unknown, description: string | undefined): object {
  let given = value;
  let said = description;
  if (typeof value === 'object' && value !== null && Array.isArray((value as { messages?: unknown }).messages)) {
    const result = value as { messages: unknown[]; description?: string };
    given = result.messages;
    said = result.description ?? description;
  }
  const items = (Array.isArray(given) ? given : [given]).filter((item) => item !== null && item !== undefined);
  return { description: said, messages: items.map(message) };
}

/** One message; what names no role is the user's. */
function message(value: unknown): object {
  if (typeof value === 'object' && value !== null && 'role' in value) {
    return { role: value.role, content: oneBlock((value as { content?: unknown }).content ?? '') };
  }
  return { role: 'user', content: oneBlock(value) };
}

/** A message of a question to the client's model, whose content may be a list. */
export function samplingMessage(value: unknown): unknown {
  if (typeof value === 'string') return { role: 'user', content: { type: 'text', text: value } };
  const content = (value as { content?: unknown } | null)?.content;
  return typeof content === 'string' ? { ...(value as object), content: { type: 'text', text: content } } : value;
}

function oneBlock(value: unknown): unknown {
  if (typeof value === 'object' && value !== null && 'type' in value) return value;
  return blocks(value)[0] ?? { type: 'text', text: '' };
}

/** Suggestions: a list, or an object that has them as `values`. */
export function completion(value: unknown): string {
  if (value === null || value === undefined) return '{"values":[]}';
  if (typeof value === 'object' && Array.isArray((value as { values?: unknown }).values)) return stringify(value, ROOT);
  return stringify({ values: Array.from(value as Iterable<unknown>, String) }, ROOT);
}
