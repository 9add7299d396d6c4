/**
 * Which library a schema is of. Known by its marks, never by `instanceof`: a project has several copies of a library (Z01).
 *
 * @module
 */

import type { LibrarySchema, StandardSchema } from './standard';
import { isZod3 } from './zod3';
import { isZod4 } from './zod4';

/** Whether it is one schema of a library. */
export function isLibrary(given: unknown): given is LibrarySchema {
  return isZod4(given) || isZod3(given) || isStandard(given);
}

/** Whether it follows Standard Schema. */
export function isStandard(given: unknown): given is StandardSchema {
  if ((typeof given !== 'object' && typeof given !== 'function') || given === null) {
    return false;
  }
  const standard = (given as Partial<StandardSchema>)['~standard'];
  const follows = standard?.version === 1 && typeof standard.validate === 'function';
  // zod hides the interface in the JSON Schemas that it makes, too; there the JSON Schema counts, which its reader may have changed.
  return follows && (standard.vendor !== 'zod' || isZod4(given) || isZod3(given));
}
