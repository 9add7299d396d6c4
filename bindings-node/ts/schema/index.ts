/**
 * Schemas: from what users give to JSON Schema, parsers and types.
 *
 * @module
 */

export { type CompiledSchema, compile } from './compile';
export { type Form, formOf } from './form';
export { type Problem, pathText, SchemaProblems } from './problems';
export {
  type Input,
  type JsonSchema,
  jsonSchema,
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
