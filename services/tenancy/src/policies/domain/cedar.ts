import { createRequire } from 'node:module';
import type * as CedarModule from '@cedar-policy/cedar-wasm/nodejs';

export type Cedar = typeof CedarModule;
export type Call = CedarModule.StatefulAuthorizationCall;
export type Request = Pick<Call, 'principal' | 'action' | 'resource' | 'context' | 'entities'>;
export type DetailedError = CedarModule.DetailedError;

const packageName = '@cedar-policy/cedar-wasm/nodejs';

/**
 * An instance of Cedar of its own, with a memory of its own. Loaded when it is needed first (19 ms, 17 MB), and again
 * when an instance is broken: a text that nests deeply enough traps, and everything after that does, too.
 */
export function loadCedar(): Cedar {
  const load = createRequire(import.meta.url);
  delete load.cache[load.resolve(packageName)];
  return load(packageName) as Cedar;
}

/** What both the validation and the decisions name their parsed schema. */
export const schemaName = 'botyard';

/** @throws Error when our own schema or policies don't parse: nothing may be decided then. */
export function requireParsed(answer: CedarModule.CheckParseAnswer): void {
  if (answer.type === 'failure') throw new Error(answer.errors.map(({ message }) => message).join('; '));
}
