/** Callers: of one of the three tenants, or of none. */
export const groupNames = ['A', 'B', 'C'] as const;
export type GroupName = (typeof groupNames)[number];
export type CallerName = `${GroupName}.admin` | `${GroupName}.member` | 'stranger' | 'operator' | 'nobody';

/**
 * A call before it is made. `{{…}}` in its path, query and body stands for something made by an earlier call or the
 * world, so the same calls can be repeated elsewhere, with some left out.
 */
export interface PlannedCall {
  number: number;
  /** Calls of one batch are sent at once. */
  batch: number;
  route: string;
  caller: CallerName;
  method: string;
  path: string;
  /** In the order of the path's parameters. */
  pathRefs: readonly string[];
  query: string;
  body?: unknown;
  /** Bytes instead of a JSON body. */
  rawBody?: string;
  contentType?: string;
  /** The credential of a caller without a session, in place of a token. */
  authorization?: string;
}

export interface MadeCall {
  plan: PlannedCall;
  path: string;
  /** Everything that was sent, as text. */
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
