/** The groups of callers, one per tenant. Some callers belong to none. */
export const groupNames = ['A', 'B', 'C'] as const;
export type GroupName = (typeof groupNames)[number];
export type CallerName = `${GroupName}.admin` | `${GroupName}.member` | 'stranger' | 'operator' | 'anonymous';

/**
 * A planned call. `{{…}}` in its path, query and body stands for a resource of an earlier call or of the fixture. The
 * same calls can therefore be repeated in another fixture, even if some are omitted.
 */
export interface PlannedCall {
  number: number;
  /** Calls of one batch are sent concurrently. */
  batch: number;
  route: string;
  caller: CallerName;
  method: string;
  path: string;
  /** The references in the order of the path's parameters. */
  pathRefs: readonly string[];
  query: string;
  body?: unknown;
  /** Bytes to send instead of a JSON body. */
  rawBody?: string;
  contentType?: string;
  /** The credential of a caller without a session, instead of a token. */
  authorization?: string;
}

export interface MadeCall {
  plan: PlannedCall;
  path: string;
  /** The whole request as text. */
  sent: string;
  status: number;
  text: string;
  /** The parsed body, if it is JSON. */
  json: unknown;
  headers: Headers;
}

const reference = /\{\{([^{}]+)\}\}/g;

export const refTo = (key: string): string => `{{${key}}}`;

export const refsIn = (value: unknown): string[] =>
  [...(JSON.stringify(value) ?? '').matchAll(reference)].map(([, key = '']) => key);

/** Replaces the references with their values. */
export function resolveRefs<Value>(value: Value, lookUp: (key: string) => string): Value {
  if (typeof value === 'string') return value.replace(reference, (_all, key: string) => lookUp(key)) as Value;
  if (Array.isArray(value)) return value.map((item) => resolveRefs(item, lookUp)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, resolveRefs(inner, lookUp)]),
  ) as Value;
}
