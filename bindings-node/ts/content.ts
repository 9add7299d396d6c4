/**
 * What a tool can return besides plain data: images, audio, files, links, and whole results.
 *
 * @module
 */

import { Buffer } from 'node:buffer';

const BLOCK = Symbol.for('omniport.block');
const RESULT = Symbol.for('omniport.result');

/** Bytes, as JavaScript has them. */
export type Bytes = Uint8Array | ArrayBuffer;

/** Members that every content block may have. */
export interface BlockOptions {
  /** For whom it is, how important: `{ audience: ['user'], priority: 1 }`. */
  annotations?: object;
  /** The `_meta` of the block. */
  meta?: object;
}

/** A content block of the protocol, made by the functions here. */
export interface ContentBlock {
  type: 'text' | 'image' | 'audio' | 'resource' | 'resource_link';
  [member: string]: unknown;
}

/** A text as a content block; for a plain text, a tool may as well return the string itself. */
export function text(text: string, options: BlockOptions = {}): ContentBlock {
  return block({ type: 'text', text }, options);
}

/**
 * A picture.
 *
 * @param data bytes, base64 text of any flavour, or a `data:` URI
 * @param mimeType without one, that of the URI, else `image/png`
 */
export function image(data: Bytes | string, mimeType?: string, options: BlockOptions = {}): ContentBlock {
  return media('image', data, mimeType, 'image/png', options);
}

/** A sound; as {@link image}, `audio/wav` without a type. */
export function audio(data: Bytes | string, mimeType?: string, options: BlockOptions = {}): ContentBlock {
  return media('audio', data, mimeType, 'audio/wav', options);
}

/** What a {@link resourceLink} may say of the resource. */
export interface LinkOptions extends BlockOptions {
  /** Without one, the URI. */
  name?: string;
  title?: string;
  description?: string;
  mimeType?: string;
  /** In bytes. */
  size?: number;
  icons?: readonly object[];
}

/** A pointer to a resource that the client can read on its own. */
export function resourceLink(uri: string, options: LinkOptions = {}): ContentBlock {
  const { name = uri, title, description, mimeType, size, icons } = options;
  return block({ type: 'resource_link', uri, name, title, description, mimeType, size, icons }, options);
}

/** The contents of a resource inside a result. */
export function embedded(
  contents: { uri: string; mimeType?: string; text: string } | { uri: string; mimeType?: string; data: Bytes },
  options: BlockOptions = {},
): ContentBlock {
  const { uri, mimeType } = contents;
  const body = 'text' in contents ? { text: contents.text } : { blob: toBase64(contents.data) };
  return block(
    { type: 'resource', resource: { uri, ...(mimeType === undefined ? {} : { mimeType }), ...body } },
    options,
  );
}

/** A whole result, for a handler that wants to say each part itself. */
export class ToolResult {
  /** Texts, blocks, or a list of them; without it the structured value is mirrored as text. */
  readonly content: unknown;
  readonly structuredContent: unknown;
  /** Whether the model should read it as a failure. */
  readonly isError: boolean;
  readonly meta: object | undefined;

  constructor(parts: { content?: unknown; structuredContent?: unknown; isError?: boolean; meta?: object } = {}) {
    this.content = parts.content;
    this.structuredContent = parts.structuredContent;
    this.isError = parts.isError ?? false;
    this.meta = parts.meta;
    Object.defineProperty(this, RESULT, { value: true });
  }
}

/** Whether it was made by one of the functions here, of whatever copy of the package. */
export function isBlock(value: unknown): value is ContentBlock {
  return typeof value === 'object' && value !== null && (value as { [BLOCK]?: boolean })[BLOCK] === true;
}

/** Whether it is a {@link ToolResult}, of whatever copy of the package. */
export function isToolResult(value: object): value is ToolResult {
  return (value as { [RESULT]?: boolean })[RESULT] === true;
}

/**
 * The bytes of an image, a sound or the contents of a resource that a server gave; a text as UTF-8 (Y22).
 *
 * @throws TypeError for what has no bytes, or no base64 where it should be
 */
export function bytesOf(block: object): Uint8Array {
  const inner = (block as { resource?: unknown }).resource;
  const from = (typeof inner === 'object' && inner !== null ? inner : block) as Record<string, unknown>;
  const data = from.data ?? from.blob;
  if (typeof data === 'string') return plain(Buffer.from(fromText(data).base64, 'base64'));
  if (typeof from.text === 'string') return plain(Buffer.from(from.text, 'utf8'));
  throw new TypeError('this content has no bytes');
}

/** Standard base64 without line breaks. */
export function toBase64(data: Bytes): string {
  const view =
    data instanceof ArrayBuffer ? Buffer.from(data) : Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return view.toString('base64');
}

function plain(buffer: Buffer): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
}

function media(
  type: 'image' | 'audio',
  data: Bytes | string,
  mimeType: string | undefined,
  fallback: string,
  options: BlockOptions,
) {
  if (typeof data !== 'string') return block({ type, data: toBase64(data), mimeType: mimeType ?? fallback }, options);
  const found = fromText(data);
  return block({ type, data: found.base64, mimeType: mimeType ?? found.mimeType ?? fallback }, options);
}

const DATA_URI = /^data:([^,;]*)((?:;[^,;]*)*),(.*)$/is;

/** Base64 text of any flavour, or a `data:` URI, as standard base64; with the type that a URI names. */
function fromText(given: string): { base64: string; mimeType: string | undefined } {
  const uri = DATA_URI.exec(given.trim());
  const mimeType = uri?.[1]?.trim().toLowerCase() || undefined;
  const body = uri?.[3] ?? given;
  if (uri && !uri[2]?.toLowerCase().includes('base64')) {
    return { base64: Buffer.from(decodeURIComponent(body), 'utf8').toString('base64'), mimeType };
  }
  const compact = body.replace(/\s+/g, '').replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '');
  if (!/^[A-Za-z0-9+/]*$/.test(compact) || compact.length % 4 === 1) throw new TypeError('the data is no base64');
  return { base64: Buffer.from(compact, 'base64').toString('base64'), mimeType };
}

function block(members: ContentBlock, { annotations, meta }: BlockOptions): ContentBlock {
  const made: ContentBlock = { ...members };
  for (const name of Object.keys(made)) if (made[name] === undefined) delete made[name];
  if (annotations !== undefined) made.annotations = annotations;
  if (meta !== undefined) made._meta = meta;
  return Object.defineProperty(made, BLOCK, { value: true });
}
