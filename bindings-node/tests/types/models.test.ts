/** The wire models are types alone, so a compiler is what tests them. */
import { deepStrictEqual } from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { compile, compilers, project } from '../support/compiler.js';
import { root } from '../support/places.js';

/** Every example of the specification as a value of its type. No member may be unknown to it. */
function examples(): string {
  const folder = join(root, 'spec/examples-2026-07-28');
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  const lines = names.map((name, index) => {
    const type = name.slice(0, name.indexOf('_')).replace(/^Error$/, 'ErrorObject');
    return `export const example${index}: t.${type} = ${readFileSync(join(folder, name), 'utf8')};`;
  });
  return `import type * as t from 'omniport/types';\n${lines.join('\n')}\n`;
}

const usage = `
import type { CallToolResult, ContentBlock, ElicitResult, LoggingLevel, Open, Role, SamplingMessage, Tool } from 'omniport/types';

// A union is told apart by its constant member.
export function read(block: ContentBlock): string {
  switch (block.type) {
    case 'text': return block.text;
    case 'image': case 'audio': return block.mimeType;
    case 'resource': return 'text' in block.resource ? block.resource.text : block.resource.blob;
    case 'resource_link': return block.uri;
    default: return JSON.stringify(block satisfies never);
  }
}
export const first = (result: CallToolResult): string | undefined => result.content[0] && read(result.content[0]);

// Enumerations are open, and members of vendors have a place.
export const roles: Role[] = ['user', 'assistant', 'critic'];
export const level: LoggingLevel = 'debug';
export const tool: Open<Tool> = { name: 'add', inputSchema: { type: 'object' }, _meta: { 'example.com/x': 1 }, 'example.com/cost': 3 };
export const plain: Tool = tool;
export const message: SamplingMessage = { role: 'user', content: [{ type: 'text', text: 'hi' }] };
export const answer: ElicitResult = { action: 'accept', content: { name: 'Ada', age: 36, tags: ['a'] } };

// @ts-expect-error a misspelt member is found
export const misspelt: Tool = { name: 'a', inputSchema: {}, titel: 'A' };
`;

for (const compiler of compilers) {
  test(`the models fit the examples of the specification, and are usable: ${compiler}`, () => {
    deepStrictEqual(compile(compiler, project({ 'examples.ts': examples(), 'usage.ts': usage })), []);
  });
}
