/**
 * What a server has registered, the pump whose engine knows it, and the tables from slots to handlers.
 *
 * @module
 */

import { guard } from '../errors';
import { type Engine, native } from '../native';
import type { Definition } from './definitions';
import { type Handler, Pump, type Setup } from './pump';

/** What a registry makes pumps of. */
export type Base = Omit<Setup, 'find' | 'ended'>;

interface Completion {
  reference: string;
  argument: string;
  handler: Handler;
}

/** Keeps the definitions, so that a new engine can be filled after the first one has ended. */
export class Registry {
  readonly #base: Base;
  readonly #definitions = new Map<string, Definition>();
  readonly #completions = new Map<string, Completion>();
  readonly #fixed = new Map<number, Handler>();
  #pump: Pump | undefined;

  constructor(base: Base) {
    this.#base = base;
  }

  /** The pump, made on first use; it is not started. */
  get pump(): Pump {
    this.#pump ??= this.#fill();
    return this.#pump;
  }

  /** The pump, if there is one. */
  get existing(): Pump | undefined {
    return this.#pump;
  }

  /** Registers, or replaces what has the same name. Throws what the engine has against it. */
  add(definition: Definition): void {
    register(this.pump.engine, this.#tables, definition);
    this.#definitions.set(`${definition.kind} ${definition.name}`, definition);
  }

  addCompletion(kind: 'prompt' | 'template', name: string, argument: string, handler: Handler): void {
    const completion = { reference: JSON.stringify({ [kind]: name }), argument, handler };
    registerCompletion(this.pump.engine, this.#tables, completion);
    this.#completions.set(JSON.stringify([kind, name, argument]), completion);
  }

  /** The one handler of a kind of event that has no slots. */
  fix(kind: number, handler: Handler): void {
    this.#fixed.set(kind, handler);
  }

  /** Whether there was such a thing; connected clients are told. */
  remove(kind: Definition['kind'], name: string): boolean {
    this.#definitions.delete(`${kind} ${name}`);
    const { engine } = this.pump;
    const removed = guard(() => engine.remove(kind, name));
    this.#pump?.touch();
    return removed;
  }

  has(kind: Definition['kind'], name: string): boolean {
    return this.#definitions.has(`${kind} ${name}`);
  }

  #tables: Tables = new Map();

  #fill(): Pump {
    const tables: Tables = new Map();
    const fixed = this.#fixed;
    const pump = new Pump({
      ...this.#base,
      find: (kind, slot) => tables.get(kind)?.[slot] ?? fixed.get(kind),
      ended: (ended) => {
        if (this.#pump === ended) this.#pump = undefined;
      },
    });
    for (const definition of this.#definitions.values()) register(pump.engine, tables, definition);
    for (const completion of this.#completions.values()) registerCompletion(pump.engine, tables, completion);
    this.#tables = tables;
    return pump;
  }
}

/** For each kind of event, the handlers by their slots. */
type Tables = Map<number, Handler[]>;

function register(engine: Engine, tables: Tables, { kind, definition, options, handler }: Definition): void {
  const slot = guard(() => {
    if (kind === 'tool') return engine.addTool(definition, options);
    if (kind === 'resource') return engine.addResource(definition, options);
    return kind === 'template' ? engine.addTemplate(definition, options) : engine.addPrompt(definition, options);
  });
  put(tables, KINDS[kind], slot, handler);
}

/** The kind of event that each kind of thing is asked for by. */
const KINDS = { tool: native.CALL, resource: native.READ, template: native.READ, prompt: native.GET };

function registerCompletion(engine: Engine, tables: Tables, { reference, argument, handler }: Completion): void {
  put(
    tables,
    native.COMPLETE,
    guard(() => engine.addCompletion(reference, argument)),
    handler,
  );
}

function put(tables: Tables, kind: number, slot: number, handler: Handler): void {
  const table = tables.get(kind) ?? [];
  table[slot] = handler;
  tables.set(kind, table);
}
