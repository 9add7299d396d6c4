/**
 * A plain record of schemas: `{ a: z.number(), b: v.string() }`. Each member is described and parsed by its own library.
 *
 * @module
 */

import { isOptional, validator, write } from './member';
import { isPromise, type Parse, type Problem, problemsOf, SchemaProblems, type Validate } from './problems';
import { setMember } from './shapes';
import type { LibrarySchema, StandardResult } from './standard';
import { type Json, type Side, Walk } from './walk';

/** A record whose members are all schemas of libraries. */
export type Members = Readonly<Record<string, LibrarySchema>>;

/** The schema of the object. Members that are not named are neither refused nor handed on. */
export function describeRecord(members: Members, side: Side, subject: string): Json {
  const walk = new Walk(side, subject, true);
  const properties: Json = {};
  const required: string[] = [];
  for (const [name, schema] of Object.entries(members)) {
    setMember(
      properties,
      name,
      walk.below(name, () => write(schema, walk)),
    );
    if (!isOptional(schema, side)) {
      required.push(name);
    }
  }
  const json: Json = { type: 'object', properties };
  if (required.length > 0) {
    json.required = required;
  }
  return walk.finish(json);
}

/** Parses member by member and tells all problems at once; without a promise unless a member makes one. */
export function parseRecord(members: Members): Parse {
  const validators = Object.entries(members).map(([name, schema]): [string, Validate] => [name, validator(schema)]);
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      const got = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
      throw new SchemaProblems([{ path: [], message: `expected object, received ${got}` }]);
    }
    const given = value as Json;
    const results = validators.map(([name, validate]) =>
      validate(Object.hasOwn(given, name) ? given[name] : undefined),
    );
    return results.some(isPromise) ? Promise.all(results).then(collect) : collect(results as StandardResult<unknown>[]);

    function collect(settled: StandardResult<unknown>[]): Json {
      const parsed: Json = {};
      const problems: Problem[] = [];
      settled.forEach((result, index) => {
        const name = (validators[index] as [string, Validate])[0];
        if (result.issues !== undefined) {
          problems.push(...problemsOf(result.issues, [name]));
        } else if (result.value !== undefined || Object.hasOwn(given, name)) {
          setMember(parsed, name, result.value);
        }
      });
      if (problems.length > 0) {
        throw new SchemaProblems(problems);
      }
      return parsed;
    }
  };
}
