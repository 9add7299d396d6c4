/**
 * MCP servers and clients.
 *
 * @module
 */

export * from './client/index';
export {
  audio,
  type BlockOptions,
  bytesOf,
  type ContentBlock,
  embedded,
  image,
  type LinkOptions,
  resourceLink,
  ToolResult,
  text,
} from './content';
export {
  Cancelled,
  Closed,
  DefinitionError,
  type ErrorFacts,
  HeaderMismatch,
  InternalError,
  InvalidParams,
  InvalidRequest,
  IoError,
  LimitError,
  MethodNotFound,
  MissingCapability,
  NotFound,
  OmniportError,
  ParseError,
  Refused,
  RuleError,
  Timeout,
  ToolError,
  UnsupportedVersion,
} from './errors';
export { jsonSchema, type StandardSchema } from './schema';
export {
  Context,
  getContext,
  type Level,
  type Principal,
  type Root,
  type SampleOptions,
  type SampleResult,
} from './server/context';
export type { Lifespan } from './server/lifespan';
export type { Cache, Rate } from './server/options';
export type { ElicitResult, FormContent, FormLike } from './server/questions';
export { Server } from './server/server';
export type {
  Arguments,
  AuditRecord,
  CallResult,
  Listening,
  ListenOptions,
  PromptArgument,
  PromptArguments,
  PromptOptions,
  ResourceOptions,
  Result,
  ServerEvent,
  ServerOptions,
  Suggestions,
  ToolOptions,
  VisibleKind,
} from './server/types';
export type { Variables } from './server/variables';
export type * from './types';
export type { FetchHandler, FetchHandlerOptions, FetchOptions } from './web/fetch';
export type { NodeHandler, NodeHandlerOptions, NodeRequest, NodeResponse } from './web/node';
