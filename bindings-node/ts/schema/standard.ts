/**
 * What a schema may be, and the types that follow from it.
 *
 * Libraries are known by the interfaces of {@link https://standardschema.dev | Standard Schema}, typed here so that the package
 * depends on none of them. Types are read off in one step (`types` of the interface), never computed from the shape of a
 * library's classes: a hundred tools must not cost the type checker more than a hundred look-ups (Z06).
 *
 * @module
 */

/** A schema object of any library that follows Standard Schema, version 1: zod, valibot, arktype and others. */
export interface StandardSchema<I = unknown, O = I> {
  readonly '~standard': StandardProps<I, O>;
}

/** The members of `~standard`. */
export interface StandardProps<I = unknown, O = I> {
  readonly version: 1;
  /** The library: "zod", "valibot", "arktype". */
  readonly vendor: string;
  readonly validate: (value: unknown) => StandardResult<O> | Promise<StandardResult<O>>;
  readonly types?: { readonly input: I; readonly output: O } | undefined;
}

/** What validating gives: the value, or what is wrong with it. */
export type StandardResult<O> =
  | { readonly value: O; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One thing that is wrong. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** A schema of zod 3 before 3.24, which has no `~standard`. */
export interface ZodLike<I = unknown, O = I> {
  readonly _input: I;
  readonly _output: O;
}

/** One schema of a library. */
export type LibrarySchema = StandardSchema | ZodLike;

/** A JSON Schema, draft 2020-12 unless `$schema` says otherwise. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

declare const typed: unique symbol;

/** A plain JSON Schema that knows the type of its values; see {@link jsonSchema}. */
export interface TypedJsonSchema<T> extends JsonSchema {
  readonly [typed]?: [T];
}

/**
 * Everything that describes arguments or results: a schema of a library, a record of such schemas (`{ a: z.number() }`), or a plain
 * JSON Schema (TypeBox's schemas are such).
 */
export type SchemaLike = LibrarySchema | { readonly [member: string]: LibrarySchema } | JsonSchema | boolean;

/**
 * A plain JSON Schema with the type of its values, which TypeScript cannot know otherwise. The schema itself is returned.
 *
 * @example
 * app.tool('add', { input: jsonSchema<{ a: number }>({ type: 'object', properties: { a: { type: 'number' } } }) }, ({ a }) => a + 1);
 */
export function jsonSchema<T>(schema: JsonSchema): TypedJsonSchema<T> {
  return schema as TypedJsonSchema<T>;
}

/** What goes into a schema: what a caller writes, before defaults and transformations. */
export type Input<S> = S extends { readonly '~standard': { readonly types?: infer T } }
  ? Member<T, 'input'>
  : S extends { readonly _input: infer I }
    ? I
    : Plain<S, 'input'>;

/** What comes out of a schema: what a handler gets, after defaults and transformations. */
export type Output<S> = S extends { readonly '~standard': { readonly types?: infer T } }
  ? Member<T, 'output'>
  : S extends { readonly _output: infer O }
    ? O
    : Plain<S, 'output'>;

type Side = 'input' | 'output';

type Member<T, K extends Side> = NonNullable<T> extends { readonly [key in K]: infer V } ? V : unknown;

// In a tuple, because the type may have null or be unknown, and the member itself may be undefined.
type Plain<S, K extends Side> = S extends { readonly [typed]?: infer T }
  ? typeof typed extends keyof S
    ? NonNullable<T> extends [infer V]
      ? V
      : unknown
    : Untyped<S, K>
  : Untyped<S, K>;

/**
 * Without a type of its own: a record, which may have a member called `type`; a TypeBox schema, which says it as `static`; a
 * literal schema (`as const`), read one level deep.
 */
type Untyped<S, K extends Side> = S extends { readonly [member: string]: LibrarySchema }
  ? Flat<Members<S, K>>
  : S extends { readonly static: infer T }
    ? T
    : S extends { readonly type: 'object'; readonly properties: infer P }
      ? Shallow<P, S extends { readonly required: readonly (infer R)[] } ? R : never>
      : S extends { readonly type: infer T }
        ? string extends T
          ? Record<string, unknown>
          : Scalar<T>
        : Record<string, unknown>;

type Members<S, K extends Side> = { readonly [M in keyof S]: K extends 'input' ? Input<S[M]> : Output<S[M]> };

/** Members that take `undefined` may be left out. */
type Flat<V> = Show<
  { -readonly [M in keyof V as undefined extends V[M] ? never : M]: V[M] } & {
    -readonly [M in keyof V as undefined extends V[M] ? M : never]?: V[M];
  }
>;

type Shallow<P, R> = Show<
  { -readonly [M in keyof P as M extends R ? M : never]: Scalar<TypeOf<P[M]>> } & {
    -readonly [M in keyof P as M extends R ? never : M]?: Scalar<TypeOf<P[M]>>;
  }
>;

type Show<T> = { [M in keyof T]: T[M] };

type TypeOf<S> = S extends { readonly enum: readonly (infer E)[] }
  ? { literal: E }
  : S extends { readonly type: infer T }
    ? T
    : never;

type Scalar<T> = [T] extends [never]
  ? unknown
  : T extends { literal: infer E }
    ? E
    : T extends 'string'
      ? string
      : T extends 'number' | 'integer'
        ? number
        : T extends 'boolean'
          ? boolean
          : T extends 'null'
            ? null
            : T extends 'array'
              ? unknown[]
              : T extends 'object'
                ? Record<string, unknown>
                : unknown;
