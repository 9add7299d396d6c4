/** The standard server of the vectors: the definitions of `standard.json`, each on a handler that a user might write. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Context, jsonSchema, type ListenOptions, type Principal, Server } from 'omniport';
import { Handlers } from './handlers.js';
import type { JsonObject } from './json.js';
import { FOLDER } from './places.js';

/** The settings of a vector; what is not named here is a limit. */
interface Settings {
  only?: string[];
  json_only?: boolean;
  allowed_hosts?: string[];
  cors_origin?: string;
  auth?: boolean;
  visibility?: boolean;
  no_subscriptions?: boolean;
  stateless?: boolean;
  page_size?: number;
  instructions?: string;
  mask_errors?: boolean;
  concurrency?: number;
  [limit: string]: unknown;
}

interface Definitions {
  tools: { name: string; inputSchema?: JsonObject; outputSchema?: JsonObject; title?: string }[];
  resources: { uri: string; name: string; mimeType?: string }[];
  templates: { uriTemplate: string; name: string }[];
  prompts: { name: string; description?: string; arguments?: { name: string; required?: boolean }[] }[];
  completions: { prompt?: string; template?: string; argument: string }[];
}

/** Limits of single tools. */
const GUARDS: Record<string, object> = {
  limited: { rate: { calls: 2, per: 60_000, by: 'principal' } },
  narrow: { concurrency: 1 },
  timed: { timeout: 1000 },
  timed_ask: { timeout: 1000 },
};

/** The server with a vector's settings, and the options to serve it over HTTP with. */
export function build(settings: Settings): { app: Server; http: ListenOptions } {
  const { only, json_only, allowed_hosts, cors_origin, auth, visibility, no_subscriptions, stateless, ...more } =
    settings;
  const { page_size, instructions, mask_errors, concurrency, ...limits } = more;
  const journal: string[] = [];
  const app = new Server({
    name: 'standard',
    version: '1.0.0',
    bigint: true,
    audit: (record) => console.error('audit:', JSON.stringify(record)), // beside the log, where the runner looks for secrets
    onEvent: (told) => void journal.push(told.event.replace('_', ' ') + ('uri' in told ? ` ${told.uri}` : '')),
    subscribe: !no_subscriptions,
    legacySessions: !stateless,
    limits: Object.fromEntries(Object.entries(limits).map(([name, limit]) => [camelCase(name), limit as number])),
    ...(auth ? { auth: authenticate } : {}),
    ...(visibility ? { visible } : {}),
    ...defined({ pageSize: page_size, instructions, maskErrors: mask_errors, concurrency }),
  });
  register(app, new Handlers(app, journal), only ?? ['tools', 'resources', 'prompts', 'completions']);
  const cors = cors_origin === undefined ? {} : { cors: { origins: [cors_origin] } };
  return { app, http: { jsonOnly: json_only ?? false, allowedHosts: allowed_hosts ?? [], ...cors } };
}

function register(app: Server, handlers: Handlers, only: string[]): void {
  const definitions = JSON.parse(readFileSync(join(FOLDER, 'standard.json'), 'utf8')) as Definitions;
  if (only.includes('tools')) {
    for (const { name, inputSchema, outputSchema, ...extras } of definitions.tools) {
      const input = inputSchema && jsonSchema<Record<string, unknown>>(inputSchema);
      const output = outputSchema && jsonSchema<unknown>(outputSchema);
      app.tool(name, { ...extras, ...defined({ input, output }), ...GUARDS[name] }, handlers.tool(name));
    }
  }
  if (only.includes('resources')) {
    for (const { uri, ...options } of definitions.resources)
      app.resource(uri, options, handlers.resource(options.name));
    for (const { uriTemplate, name } of definitions.templates)
      app.resource(uriTemplate, { name }, handlers.resource(name));
  }
  if (only.includes('prompts')) {
    for (const { name, arguments: input, ...options } of definitions.prompts) {
      app.prompt(name, { ...options, input: input ?? [] }, handlers.prompt(name));
    }
  }
  if (only.includes('completions')) {
    for (const { prompt, template, argument } of definitions.completions) {
      app.complete((prompt ?? template) as string, argument, handlers.completion(argument));
    }
  }
}

/** `Authorization: Bearer <subject>-<anything>` is the subject's. */
function authenticate(headers: Record<string, string>): Principal | null {
  const subject = /^Bearer ([^-]+)-/.exec(headers.authorization ?? '')?.[1];
  return subject === undefined ? null : { subject, client: 'vectors', scopes: [], claims: {} };
}

/** What begins with `private_` is for `alice` alone. */
function visible(cx: Context, _kind: string, names: string[]): string[] {
  return names.filter((name) => cx.principal?.subject === 'alice' || !name.startsWith('private_'));
}

function camelCase(name: string): string {
  return name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** The members that have a value. */
function defined<T extends object>(members: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;
}
