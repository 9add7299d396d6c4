/** The least arguments that a JSON Schema takes, for tools of which servers.json says nothing; the other walkers have the same rules. */

export interface Schema {
  $ref?: string;
  const?: unknown;
  default?: unknown;
  enum?: unknown[];
  examples?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  minItems?: number;
  minimum?: number;
}

/** An object with the required members only; of several choices the first. */
export function example(schema: Schema): Record<string, unknown> {
  return one(schema, schema) as Record<string, unknown>;
}

function one(schema: Schema, root: Schema): unknown {
  if (schema.$ref !== undefined) return one(target(schema.$ref, root), root);
  if ('const' in schema) return schema.const;
  if ('default' in schema) return schema.default;
  const [given] = schema.enum ?? schema.examples ?? [];
  if (given !== undefined) return given;
  const [choice] = schema.anyOf ?? schema.oneOf ?? schema.allOf ?? [];
  if (choice !== undefined) return one(choice, root);
  const type = schema.type ?? (schema.properties === undefined ? 'string' : 'object');
  switch (Array.isArray(type) ? type[0] : type) {
    case 'object': {
      const members = schema.properties ?? {};
      return Object.fromEntries((schema.required ?? []).map((name) => [name, one(members[name] ?? {}, root)]));
    }
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () => one(schema.items ?? {}, root));
    case 'integer':
    case 'number':
      return Math.max(1, schema.minimum ?? 1);
    case 'boolean':
      return false;
    case 'null':
      return null;
    default:
      return 'text';
  }
}

function target(reference: string, root: Schema): Schema {
  const parts = reference.replace(/^#\//, '').split('/');
  return parts.reduce<unknown>((place, part) => (place as Record<string, unknown>)[part], root) as Schema;
}
