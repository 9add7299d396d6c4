/**
 * Schemas: from what users give to JSON Schema, parsers and types.
 *
 * @module
 */

export { compile, type CompiledSchema } from './compile';
export { type Form, formOf } from './form';
export { type Problem, pathText, SchemaProblems } from './problems';
export {
  type Input,
  jsonSchema,
  type JsonSchema,
  type LibrarySchema,
  type Output,
  type SchemaLike,
  type StandardIssue,
  type StandardProps,
  type StandardResult,
  type StandardSchema,
  type TypedJsonSchema,
  type ZodLike,
} from './standard';
