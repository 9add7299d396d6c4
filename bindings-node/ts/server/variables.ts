/**
 * The variables of a URI template, read off its literal type.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6570
 * @module
 */

/**
 * What a handler gets for the variables of the template `T`: texts, lists for exploded ones (`{/path*}`); those of a query (`{?a}`) may be
 * missing. For a template whose text is not known to the type checker, any names.
 *
 * @example Variables<'db://{table}{?limit}'> // { table: string; limit?: string }
 */
export type Variables<T extends string> = string extends T
  ? Record<string, string | string[]>
  : Show<
      { [E in Expressions<T> as E extends Optional ? never : NameOf<E>]: ValueOf<E> } & {
        [E in Expressions<T> as E extends Optional ? NameOf<E> : never]?: ValueOf<E>;
      }
    >;

type Show<T> = { [K in keyof T]: T[K] };

/** Each variable with the operator of its expression in front: `{?a,b*}` is `'?a' | '?b*'`. */
type Expressions<T extends string> = T extends `${string}{${infer Inside}}${infer Rest}`
  ? Listed<Inside> | Expressions<Rest>
  : never;

type Listed<T extends string> = T extends `${infer Operator extends Operators}${infer Names}`
  ? `${Operator}${Split<Names>}`
  : Split<T>;

type Split<T extends string> = T extends `${infer First},${infer Rest}` ? First | Split<Rest> : T;

type Operators = '+' | '#' | '.' | '/' | ';' | '?' | '&';

type Optional = `${'?' | '&'}${string}`;

type NameOf<E extends string> = Plain<E extends `${Operators}${infer Name}` ? Name : E>;

type Plain<N extends string> = N extends `${infer Name}*` ? Name : N extends `${infer Name}:${string}` ? Name : N;

type ValueOf<E extends string> = E extends `${string}*` ? string[] : string;
