/**
 * Validating by a library's own validator, and its complaints as one error that names every problem (S15).
 *
 * @module
 */

import type { StandardIssue, StandardResult } from './standard';

/** One thing that is wrong with a value. */
export interface Problem {
  /** Where in the value; empty for the value itself. */
  path: (string | number)[];
  message: string;
}

/** A value does not fit its schema. The message lists all problems, one per line. */
export class SchemaProblems extends Error {
  override readonly name = 'SchemaProblems';

  constructor(readonly problems: Problem[]) {
    super(problems.map(line).join('\n'));
  }
}

/** From a value to the parsed value; throws or rejects with {@link SchemaProblems}. */
export type Parse = (value: unknown) => unknown | Promise<unknown>;

/** A validator as Standard Schema has it. */
export type Validate = (value: unknown) => StandardResult<unknown> | Promise<StandardResult<unknown>>;

/** Without a promise unless the validator makes one. */
export function parseBy(validate: Validate): Parse {
  return (value) => {
    const result = validate(value);
    return isPromise(result) ? result.then(settled) : settled(result);
  };
}

/** Whether something has to be waited for. */
export function isPromise<T>(value: T | PromiseLike<T>): value is Promise<T> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}

/** The problems that a validator speaks of, below `base`. */
export function problemsOf(issues: readonly StandardIssue[], base: (string | number)[] = []): Problem[] {
  return issues.map((issue) => ({ path: [...base, ...(issue.path ?? []).map(step)], message: wordsOf(issue) }));
}

function settled(result: StandardResult<unknown>): unknown {
  if (result.issues === undefined) {
    return result.value;
  }
  throw new SchemaProblems(problemsOf(result.issues));
}

function step(segment: PropertyKey | { readonly key: PropertyKey }): string | number {
  const key = typeof segment === 'object' && segment !== null ? segment.key : segment;
  return typeof key === 'number' ? key : String(key);
}

/** Branches of a union that are put into words. */
const MAX_BRANCHES = 4;

interface UnionIssue extends StandardIssue {
  /** zod 4. */
  errors?: StandardIssue[][];
  /** zod 3. */
  unionErrors?: { issues: StandardIssue[] }[];
}

/** zod says "Invalid input" of a value that no branch of a union takes, and keeps what a model needs in members of its own. */
function wordsOf(issue: StandardIssue): string {
  const { errors, unionErrors } = issue as UnionIssue;
  const branches = errors ?? unionErrors?.map((error) => error.issues);
  if (!Array.isArray(branches) || branches.length === 0) {
    return issue.message;
  }
  // zod 3 repeats the path of the union in front of the paths below it.
  const depth = unionErrors ? (issue.path ?? []).length : 0;
  const words = branches.slice(0, MAX_BRANCHES).map((branch) =>
    problemsOf(branch)
      .map(({ path, message }) => line({ path: path.slice(depth), message }))
      .join(' and '),
  );
  if (branches.length > MAX_BRANCHES) {
    words.push(`${branches.length - MAX_BRANCHES} more forms`);
  }
  return `${issue.message} (${[...new Set(words)].join(', or ')})`;
}

function line({ path, message }: Problem): string {
  return path.length === 0 ? message : `${pathText(path)}: ${message}`;
}

/** `a.b[0]`, as the engine writes paths. */
export function pathText(path: readonly (string | number)[]): string {
  return path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : text === '' ? key : `${text}.${key}`),
    '',
  );
}
