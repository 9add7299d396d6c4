/**
 * One schema of a library: its JSON Schema, its validator, and whether a member with it may be left out.
 *
 * @module
 */

import { isStandard } from './detect';
import { writeLibrary } from './library';
import { isPromise, type Validate } from './problems';
import type { LibrarySchema, StandardResult, StandardSchema } from './standard';
import type { Json, Side, Walk } from './walk';
import { isOptionalZod3, isZod3, writeZod3, type Zod3, type Zod3Result } from './zod3';
import { isOptionalZod4, isZod4, writeZod4 } from './zod4';

/** The JSON Schema on the side that is walked. */
export function write(schema: LibrarySchema, walk: Walk): Json {
  if (isZod4(schema)) {
    return writeZod4(schema, walk);
  }
  return isZod3(schema) ? writeZod3(schema, walk) : writeLibrary(schema as StandardSchema, walk);
}

/** The validator of the library itself. */
export function validator(schema: LibrarySchema): Validate {
  // zod 3 before 3.24 has no `~standard`.
  return isStandard(schema) ? schema['~standard'].validate : ofZod3(schema as unknown as Zod3);
}

/** Whether a member with this schema may be left out of a record. */
export function isOptional(schema: LibrarySchema, side: Side): boolean {
  if (isZod4(schema)) {
    return isOptionalZod4(schema, side);
  }
  if (isZod3(schema)) {
    return isOptionalZod3(schema, side);
  }
  try {
    const result = validator(schema)(undefined);
    if (!isPromise(result)) {
      return result.issues === undefined && (side === 'input' || result.value === undefined);
    }
    result.catch(() => undefined);
  } catch {
    // What users wrote did not expect `undefined`.
  }
  return false;
}

/** Without a promise as long as nothing in the schema needs one. */
function ofZod3(schema: Zod3): Validate {
  let asynchronous = false;
  return (value) => {
    if (!asynchronous) {
      try {
        return standard(schema.safeParse(value));
      } catch (error) {
        // zod says so only when it meets the first such part.
        if (!/^async/i.test((error as Error)?.message ?? '')) {
          throw error;
        }
        asynchronous = true;
      }
    }
    return schema.safeParseAsync(value).then(standard);
  };
}

function standard(result: Zod3Result): StandardResult<unknown> {
  return result.success ? { value: result.data } : { issues: result.error.issues };
}
