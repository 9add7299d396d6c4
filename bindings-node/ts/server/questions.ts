/**
 * Questions to the user: forms with typed answers, and the errors of questions that were refused.
 *
 * @module
 */

import { make, type OmniportError } from '../errors';
import type { Form, Output, SchemaLike } from '../schema';
import { formOf } from './schemas';

/** What can be asked for: a schema with flat members, one of a single value, or a list of texts to choose from. */
export type FormLike = SchemaLike | readonly string[];

/** The content of the answer to a form. */
export type FormContent<S> = S extends readonly (infer E extends string)[]
  ? E
  : S extends SchemaLike
    ? Output<S>
    : undefined;

/** What the user did. `content` is there only when the action is "accept". */
export type ElicitResult<T> = { action: 'accept'; content: T } | { action: 'decline' | 'cancel'; content?: undefined };

/** The answer to a question, as the engine tells it. */
export interface Outcome {
  result?: Record<string, unknown>;
  error?: { kind?: string; message?: string; code?: number; data?: unknown };
}

const forms = new WeakMap<object, Form>();

/** The form for what is wanted, made once for each schema object. */
export function formFor(wanted: unknown): Form {
  if (typeof wanted !== 'object' && typeof wanted !== 'function') return formOf(wanted);
  if (wanted === null) return formOf(undefined);
  let form = forms.get(wanted);
  if (form === undefined) {
    form = formOf(wanted);
    forms.set(wanted, form);
  }
  return form;
}

/** The typed result; content is looked at for "accept" only, and an action that nobody knows counts as "cancel" (Y17). */
export async function answered(
  raw: Record<string, unknown>,
  form: Pick<Form, 'answer'>,
): Promise<ElicitResult<unknown>> {
  if (raw.action !== 'accept') return { action: raw.action === 'decline' ? 'decline' : 'cancel' };
  return { action: 'accept', content: await form.answer((raw.content ?? {}) as Record<string, unknown>) };
}

/** The error that the answer to a question is. */
export function refusal(facts: NonNullable<Outcome['error']>): OmniportError {
  return make(facts.kind ?? 'remote', facts.message ?? '', { code: facts.code ?? null, data: facts.data });
}
