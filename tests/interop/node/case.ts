/** A case of servers.json as `walks.py` prepares it; there is said what the members mean. */

export interface Call {
  tool: string;
  arguments?: Record<string, unknown>;
  is_error?: boolean;
  error?: number;
  text?: string;
  length?: number;
  structured?: unknown;
  content?: string[];
  progress?: number[];
  logged?: string;
  timeout?: number;
  asked?: string[];
  changed?: Record<string, string>;
  lists?: string;
}

export interface Read {
  uri: string;
  text?: string;
  blob?: string;
  error?: number;
}

export interface Completion {
  reference: { prompt: string } | { template: string };
  argument: string;
  value: string;
  arguments?: Record<string, string>;
  values: string[];
}

export type Kind = 'tools' | 'resources' | 'templates' | 'prompts';

export interface Case {
  name: string;
  version?: string;
  instructions?: string;
  revision: string;
  era?: 'legacy' | 'modern';
  url?: string;
  command: string[];
  env?: Record<string, string>;
  answers: { sample: object; elicit: object; roots: { roots: { uri: string; name?: string }[] } };
  lists: Partial<Record<Kind, string[]>>;
  calls: Call[];
  reads: Read[];
  templates: Record<string, Record<string, string>>;
  prompts: Record<string, { arguments?: Record<string, string>; text?: string }>;
  completions: Completion[];
  subscribe?: string;
  listen?: Record<'tools' | 'resources' | 'prompts', boolean>;
  at_once?: { times: number; tool: string; arguments: Record<string, unknown>; text: string };
  cancel?: { tool: string; arguments?: Record<string, unknown> };
}
