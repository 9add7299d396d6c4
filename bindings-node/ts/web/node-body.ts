/**
 * The body of a request of `node:http`: from the stream, or what a body parser left of it (Y19).
 *
 * @module
 */

import type { Readable } from 'node:stream';
import type { NodeRequest } from './node';

/** A body, and whether a parser read it before. */
export interface NodeBody {
  readonly bytes: Uint8Array;
  /** The headers that describe the bytes on the wire do not speak of these. */
  readonly parsed: boolean;
}

/** The stream was read by somebody who left nothing of it behind. */
export class DrainedBody extends Error {
  constructor() {
    super(
      'The body of this request was read before Omniport got it, and no parsed body is in `request.body`. ' +
        'Mount Omniport before the middleware that reads it, or have that middleware leave the parsed JSON, the text or the bytes in `request.body`.',
    );
  }
}

const EMPTY = new Uint8Array(0);
const BODILESS = new Set(['GET', 'HEAD', 'OPTIONS', 'DELETE']);

/**
 * Reads the body, one byte more than `limit` at most: the engine then refuses it in its own words. Null: the client left.
 *
 * @throws DrainedBody where nothing can come any more
 */
export function readBody(request: NodeRequest, limit: number): NodeBody | Promise<NodeBody | null> {
  if (BODILESS.has(request.method ?? '')) return { bytes: EMPTY, parsed: false };
  const given = leftBody(request);
  if (isStream(given)) return collect(given, limit);
  if (given !== undefined) return { bytes: asBytes(given).subarray(0, limit + 1), parsed: true };
  if (request.readableEnded || request.readableDidRead) {
    if (!announcesBody(request)) return { bytes: EMPTY, parsed: false };
    throw new DrainedBody();
  }
  // Its length alone is enough for the engine to refuse it: nothing is read then.
  if (Number(request.headers['content-length']) > limit) return { bytes: EMPTY, parsed: false };
  return collect(request as Readable, limit);
}

/** What a middleware left of the body; undefined when it left the body alone. */
function leftBody(request: NodeRequest): unknown {
  const raw = request.rawBody;
  // The exact bytes, where somebody kept them: `JSON.parse` has no integers beyond 2^53 (W08).
  if (typeof raw === 'string' || raw instanceof Uint8Array) return raw;
  const body = request.body ?? undefined;
  // The parsers of Express 4 leave an empty object where they parsed nothing.
  if (body !== undefined && !request.readableDidRead && !request.readableEnded && isEmptyObject(body)) return undefined;
  return body;
}

function isEmptyObject(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.getPrototypeOf(value) === Object.prototype &&
    Object.keys(value).length === 0
  );
}

function isStream(value: unknown): value is Readable {
  return typeof value === 'object' && value !== null && typeof (value as Partial<Readable>).pipe === 'function';
}

/** Bytes and text as they are, a parsed value as JSON again. */
export function asBytes(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body;
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

/** Whether the request has a body to miss; HTTP/2 need not say. */
function announcesBody(request: NodeRequest): boolean {
  if (request.httpVersionMajor >= 2) return request.headers['content-length'] !== '0';
  return request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
}

function collect(stream: Readable, limit: number): Promise<NodeBody | null> {
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    const settle = (body: NodeBody | null): void => {
      stream.off('data', onData).off('end', onEnd).off('close', onGone).off('error', onGone);
      resolve(body);
    };
    const whole = (): Uint8Array => (chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks, size));
    const onData = (chunk: Uint8Array | string): void => {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk; // a middleware may have set an encoding
      chunks.push(bytes);
      size += bytes.length;
      if (size <= limit) return;
      stream.pause();
      settle({ bytes: whole().subarray(0, limit + 1), parsed: false });
    };
    const onEnd = (): void => settle({ bytes: whole(), parsed: false });
    const onGone = (): void => settle(null);
    if (stream.destroyed) return resolve(null);
    stream.on('data', onData).on('end', onEnd).on('close', onGone).on('error', onGone);
    stream.resume(); // somebody may have paused it to keep the body for us
  });
}
