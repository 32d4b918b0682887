import { createRequire } from 'node:module';
import type * as CedarModule from '@cedar-policy/cedar-wasm/nodejs';

export type Cedar = typeof CedarModule;
type Call = CedarModule.StatefulAuthorizationCall;
export type Request = Pick<Call, 'principal' | 'action' | 'resource' | 'context' | 'entities'>;
export type DetailedError = CedarModule.DetailedError;

const packageName = '@cedar-policy/cedar-wasm/nodejs';

/**
 * A separate instance of Cedar, with its own memory. Loaded on first use (19 ms, 17 MB), and again when an instance is
 * broken: deeply nested text makes it trap, and every later call then traps, too.
 */
export function loadCedar(): Cedar {
  const load = createRequire(import.meta.url);
  delete load.cache[load.resolve(packageName)];
  return load(packageName) as Cedar;
}

/** The name under which validation and decisions store their parsed schema. */
export const schemaName = 'botyard';

/** @throws Error when our own schema or policies don't parse: then nothing may be decided. */
export function requireParsed(answer: CedarModule.CheckParseAnswer): void {
  if (answer.type === 'failure') throw new Error(answer.errors.map(({ message }) => message).join('; '));
}
