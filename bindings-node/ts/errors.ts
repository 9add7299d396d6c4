/**
 * Errors: one class per kind of failure, each with every fact that the engine knew.
 *
 * `instanceof` knows them by a brand and not by identity, so that two copies of the package in one program (a bundle and its external,
 * an ESM and a CommonJS build) understand each other.
 *
 * @module
 */

const BRAND = Symbol.for('omniport.error');

/** Further facts of an error. */
export interface ErrorFacts {
  /** The JSON-RPC code; without one, that of the kind. */
  code?: number | null;
  /** The `data` member of the JSON-RPC error. */
  data?: unknown;
  /** Whether the same request may succeed later. */
  retry?: boolean;
  /** Named facts: `status`, `exit`, `stderr`, `limit`, `tool`. */
  context?: Record<string, string>;
  /** What led to it. */
  cause?: unknown;
}

interface Branded {
  [BRAND]?: readonly string[];
}

function isInstance(this: object, value: unknown): boolean {
  const own = Object.hasOwn(this, 'brand') ? (this as { brand: string }).brand : undefined;
  if (own === undefined) return Function.prototype[Symbol.hasInstance].call(this, value); // a class of a user's
  if (typeof value !== 'object' || value === null) return false;
  try {
    return (value as Branded)[BRAND]?.includes(own) === true;
  } catch {
    return false; // an object that throws when it is looked at is none of ours
  }
}

/** What `instanceof` looks for in an object of the class: its own brand and those of the classes above it. */
function brandsOf(made: unknown): string[] {
  const brands: string[] = [];
  for (let at = made; typeof at === 'function' && at !== Error; at = Object.getPrototypeOf(at)) {
    if (Object.hasOwn(at, 'brand')) brands.push((at as unknown as { brand: string }).brand);
  }
  return brands;
}

function brand(error: Error, made: { name: string }): void {
  Object.defineProperty(error, BRAND, { value: brandsOf(made) });
  Object.defineProperty(error, 'name', { value: made.name, configurable: true, writable: true });
}

/**
 * A failure with every fact its reader may need.
 *
 * Thrown in a handler it becomes a protocol error: the caller gets `code`, `message` and `data`, and a model sees nothing. Throw
 * {@link ToolError} for a text that the model should read and act on.
 */
export class OmniportError extends Error {
  /** What `instanceof` and {@link make} know the class by. */
  static readonly brand: string = 'remote';

  /** The kind of failure: `"remote"` for an error of the peer with a code that has no class. */
  readonly kind: string;
  /** The JSON-RPC code; null: that of the kind. */
  code: number | null;
  /** The `data` member of the JSON-RPC error. */
  data: unknown;
  /** Whether the same request may succeed later. */
  retry: boolean;
  /** Named facts: `status`, `exit`, `stderr`, `limit`, `tool`. */
  context: Record<string, string>;

  constructor(message = '', facts: ErrorFacts = {}) {
    super(message, 'cause' in facts ? { cause: facts.cause } : undefined);
    brand(this, new.target);
    this.kind = new.target.brand;
    this.code = facts.code ?? null;
    this.data = facts.data;
    this.retry = facts.retry ?? false;
    this.context = facts.context ?? {};
  }

  /** The name, the message and the named facts. */
  override toString(): string {
    return `${this.name}: ${describe(this)}`;
  }

  static override readonly [Symbol.hasInstance]: (value: unknown) => boolean = isInstance;
}

/** The text is not JSON. */
export class ParseError extends OmniportError {
  static override readonly brand: string = 'parse';
}

/** JSON, but no message of the protocol. */
export class InvalidRequest extends OmniportError {
  static override readonly brand: string = 'invalid_request';
}

/** The peer has no such method, or did not declare the capability it belongs to. */
export class MethodNotFound extends OmniportError {
  static override readonly brand: string = 'method_not_found';
}

/** The parameters of a known method are wrong. */
export class InvalidParams extends OmniportError {
  static override readonly brand: string = 'invalid_params';
}

/** There is no such tool, resource or prompt. Throw it in a resource handler for a URI that names nothing. */
export class NotFound extends InvalidParams {
  static override readonly brand: string = 'not_found';
}

/** The server failed for a reason that is not the caller's. */
export class InternalError extends OmniportError {
  static override readonly brand: string = 'internal';
}

/** An HTTP header and the body disagree, or a required header is missing. */
export class HeaderMismatch extends OmniportError {
  static override readonly brand: string = 'header_mismatch';
}

/** The client did not declare the capability that the question or request needs. */
export class MissingCapability extends OmniportError {
  static override readonly brand: string = 'missing_capability';
}

/** The peer does not speak the revision of the protocol that was asked for. */
export class UnsupportedVersion extends OmniportError {
  static override readonly brand: string = 'unsupported_version';
}

/** A named limit was reached; `context.limit` is its name. */
export class LimitError extends OmniportError {
  static override readonly brand: string = 'limit';
}

/** The call ran out of time. */
export class Timeout extends OmniportError {
  static override readonly brand: string = 'timeout';
}

/** The caller took the request back. */
export class Cancelled extends OmniportError {
  static override readonly brand: string = 'cancelled';
}

/** The connection ended before the answer. */
export class Closed extends OmniportError {
  static override readonly brand: string = 'closed';
}

/** Refused before the protocol looked at it: host, origin, credentials. */
export class Refused extends OmniportError {
  static override readonly brand: string = 'refused';
}

/** A tool, resource, prompt or handler cannot be registered as it is written. */
export class DefinitionError extends OmniportError {
  static override readonly brand: string = 'definition';
}

/** Reading, writing, connecting or starting a process failed. */
export class IoError extends OmniportError {
  static override readonly brand: string = 'io';
}

/** A failure of a tool that the model should read and act on: the result says `isError` and carries this text. */
export class ToolError extends Error {
  static readonly brand: string = 'tool';

  constructor(message = '', options?: ErrorOptions) {
    super(message, options);
    brand(this, new.target);
  }

  static override readonly [Symbol.hasInstance]: (value: unknown) => boolean = isInstance;
}

/** The package is used in a way that cannot work: serving twice, stdio in a worker thread. */
export class RuleError extends Error {
  static readonly brand: string = 'rule';

  constructor(message = '', options?: ErrorOptions) {
    super(message, options);
    brand(this, new.target);
  }

  static override readonly [Symbol.hasInstance]: (value: unknown) => boolean = isInstance;
}

const CLASSES = new Map<string, typeof OmniportError>(
  [
    OmniportError,
    ParseError,
    InvalidRequest,
    MethodNotFound,
    InvalidParams,
    NotFound,
    InternalError,
    HeaderMismatch,
    MissingCapability,
    UnsupportedVersion,
    LimitError,
    Timeout,
    Cancelled,
    Closed,
    Refused,
    DefinitionError,
    IoError,
  ].map((made) => [made.brand, made]),
);

/** The error of `kind`. A kind that this version does not know is a plain {@link OmniportError}. */
export function make(kind: string, message: string, facts: ErrorFacts = {}): OmniportError {
  return new (CLASSES.get(kind) ?? OmniportError)(message, facts);
}

/** The message with the named facts behind it. */
export function describe(error: OmniportError): string {
  const facts = Object.entries(error.context).map(([name, value]) => ` [${name}: ${value}]`);
  return error.message + facts.join('');
}

/** What the addon throws, as an error of its class; whatever else was thrown stays as it is. */
export function fromFault(error: unknown): unknown {
  if (!(error instanceof Error) || (error as { code?: unknown }).code !== 'OmniportFault') return error;
  const { kind, message, ...facts } = JSON.parse(error.message) as ErrorFacts & { kind: string; message: string };
  const made = make(kind, message, facts);
  // The stack shows the call of the user that failed, which is what one looks for.
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line));
  if (frames) made.stack = [`${made}`, ...frames].join('\n');
  return made;
}

/** Makes a call of the addon, whose failures are thrown as errors of their classes. */
export function guard<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw fromFault(error);
  }
}
