/**
 * Forms that a server asks a user to fill in: the flat schema for what is wanted, and typed answers.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation
 * @module
 */

import { DefinitionError, InvalidParams } from '../errors';
import { describe } from './compile';
import { isPromise, SchemaProblems } from './problems';
import { setMember } from './shapes';
import type { Json } from './walk';

/** What to ask, and what makes the answer of the content that came back. */
export interface Form {
  /** For the wire. */
  schema: Json;
  /** Throws or rejects with InvalidParams when the content does not fit. */
  answer: (content: Json) => unknown | Promise<unknown>;
}

/**
 * The form for what is wanted.
 *
 * @param wanted nothing (a bare yes or no), a schema of an object with flat members, a schema of one scalar or a list of texts to
 *   choose from (a form with the one member `value`), or a JSON Schema
 * @throws DefinitionError when a member is nested: clients show flat forms only
 */
export function formOf(wanted: unknown): Form {
  if (wanted === undefined || wanted === null) {
    return { schema: { type: 'object', properties: {} }, answer: () => undefined };
  }
  if (Array.isArray(wanted)) {
    if (wanted.length === 0 || !wanted.every((choice) => typeof choice === 'string')) {
      throw new DefinitionError(`the choices of a form are texts, at least one, not ${JSON.stringify(wanted)}`);
    }
    return single({ type: 'string', enum: [...wanted] }, null);
  }
  const { json, parse } = describe(wanted, 'input', 'form');
  if (parse === null) {
    return { schema: checked(json), answer: (content) => content };
  }
  const { $defs, ...rest } = json;
  const definitions = ($defs as Json | undefined) ?? {};
  const root = typeof rest.$ref === 'string' ? dereferenced(rest, definitions) : rest;
  if (root.type !== 'object') {
    return single(flat('value', root, definitions), parse);
  }
  if (typeof root.properties !== 'object') {
    throw notFlat('value');
  }
  const schema: Json = { type: 'object', properties: flatMembers(root.properties as Json, definitions) };
  if (root.required !== undefined) {
    schema.required = root.required;
  }
  return { schema, answer: (content) => typed(content, parse) };
}

type Parser = (value: unknown) => unknown | Promise<unknown>;

function single(member: Json, parse: Parser | null): Form {
  return {
    schema: { type: 'object', properties: { value: member }, required: ['value'] },
    answer: (content) => (parse === null ? content.value : typed(content.value, parse)),
  };
}

function typed(content: unknown, parse: Parser): unknown | Promise<unknown> {
  try {
    const value = parse(content);
    return isPromise(value) ? value.catch(refused) : value;
  } catch (error) {
    return refused(error);
  }
}

function refused(error: unknown): never {
  throw error instanceof SchemaProblems
    ? new InvalidParams(`The answer to the form is not valid: ${error.message}`)
    : error;
}

/** A schema that was given as it is: sent unchanged, but one that clients may refuse fails here, where its author sees it. */
function checked(schema: Json): Json {
  if (schema.type !== 'object') {
    throw new DefinitionError('the schema of a form has the type "object"');
  }
  const properties = (schema.properties as Json | undefined) ?? {};
  flatMembers(properties, (schema.$defs as Json | undefined) ?? {});
  return { ...schema, properties };
}

function flatMembers(properties: Json, definitions: Json): Json {
  const members: Json = {};
  for (const [name, member] of Object.entries(properties)) {
    setMember(members, name, flat(name, member as Json, definitions));
  }
  return members;
}

const SCALARS = ['string', 'number', 'integer', 'boolean'];
const CHOICES = ['oneOf', 'enum'];
const KEYWORDS = new Set(
  'type title description default enum enumNames oneOf const format minLength maxLength minimum maximum pattern'.split(
    ' ',
  ),
);
const LIST_KEYWORDS = new Set([...KEYWORDS, 'minItems', 'maxItems']);

/** The member without what forms do not know; DefinitionError when it is not flat. */
function flat(name: string, given: Json, definitions: Json, depth = 0): Json {
  const member = dereferenced(given, definitions);
  if (depth > MAX_DEPTH) {
    throw notFlat(name);
  }
  if (Array.isArray(member.anyOf)) {
    const solid = (member.anyOf as Json[]).filter((branch) => branch.type !== 'null');
    const [only] = solid;
    if (solid.length !== 1 || only === undefined) {
      throw notFlat(name);
    }
    const { anyOf: _, default: value, ...rest } = member;
    return flat(name, { ...only, ...rest, ...(value != null && { default: value }) }, definitions, depth + 1);
  }
  if (Array.isArray(member.allOf) && member.allOf.length === 1) {
    const { allOf, ...rest } = member;
    return flat(name, { ...(allOf as Json[])[0], ...rest }, definitions, depth + 1);
  }
  if (member.type === 'array') {
    const given = (member.items as Json | undefined) ?? {};
    const items = isTitledChoice(given) ? given : flat(name, given, definitions, depth + 1);
    if (!['enum', 'oneOf', 'anyOf'].some((keyword) => keyword in items)) {
      throw notFlat(name);
    }
    return { ...only(member, LIST_KEYWORDS), items };
  }
  if (!SCALARS.includes(member.type as string) && !CHOICES.some((keyword) => keyword in member)) {
    throw notFlat(name);
  }
  return only(member, KEYWORDS);
}

/** References from one definition to the next that are followed. */
const MAX_DEPTH = 20;

function dereferenced(member: Json, definitions: Json): Json {
  const { $ref, ...rest } = member;
  if (typeof $ref !== 'string') {
    return member;
  }
  const name = $ref.slice($ref.lastIndexOf('/') + 1);
  return Object.hasOwn(definitions, name) ? { ...(definitions[name] as Json), ...rest } : member;
}

/** Whether the items of a multiple choice are constants with titles: `{"anyOf": [{"const": "a", "title": "A"}, ...]}`. */
function isTitledChoice(items: Json): boolean {
  const choices = items.anyOf ?? items.oneOf;
  return Array.isArray(choices) && choices.length > 0 && choices.every((choice) => Object.hasOwn(choice, 'const'));
}

function only(json: Json, keywords: ReadonlySet<string>): Json {
  return Object.fromEntries(Object.entries(json).filter(([keyword]) => keywords.has(keyword)));
}

function notFlat(name: string): DefinitionError {
  return new DefinitionError(
    `the member \`${name}\` of the form is no text, number, boolean or choice; a form has flat members only`,
  );
}
