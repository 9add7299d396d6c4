/**
 * Clients.
 *
 * @module
 */

export type { ByHand, RoundOptions } from './byhand';
export type { Call } from './call';
export type { Asked, ClientCallbacks, FormAnswer, Roots, UrlAnswer } from './callbacks';
export type { Change, ChangeFilter, Changes } from './changes';
export { Client } from './client';
export type { State } from './connection';
export type { Listing } from './listing';
export type { CompleteOptions, CompletionReference, ToolCallOptions } from './methods';
export type { ClientOptions } from './options';
export { isInputRequired } from './read';
export type { CallOptions, LogMessage, Progress } from './request';
export type { ClientTarget, ServerEntry } from './target';
