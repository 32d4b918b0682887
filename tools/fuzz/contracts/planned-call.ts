/** Who calls: of one of the three tenants, or of none. */
export const groupNames = ['A', 'B', 'C'] as const;
export type GroupName = (typeof groupNames)[number];
export type CallerName = `${GroupName}.admin` | `${GroupName}.member` | 'stranger' | 'operator' | 'nobody';

/**
 * A call before it is made. `{{…}}` in its path, query and body stands for what an earlier call, or the world, made; so the same
 * calls can be made again elsewhere, some of them left out.
 */
export interface PlannedCall {
  number: number;
  /** Calls of one batch go out at once. */
  batch: number;
  route: string;
  caller: CallerName;
  method: string;
  path: string;
  /** In the order of the path's parameters. */
  pathRefs: readonly string[];
  query: string;
  body?: unknown;
  /** Bytes in place of a body of JSON. */
  rawBody?: string;
  contentType?: string;
  /** What a caller without a session shows in place of a token. */
  authorization?: string;
  /** The body is one that the route takes, as far as can be told. */
  isRight: boolean;
}

export interface MadeCall {
  plan: PlannedCall;
  path: string;
  /** Everything that went out, as text. */
  sent: string;
  status: number;
  text: string;
  /** The parsed body, where it is JSON. */
  json: unknown;
  headers: Headers;
}

const reference = /\{\{([^{}]+)\}\}/g;

export const refTo = (key: string): string => `{{${key}}}`;

export const refsIn = (value: unknown): string[] =>
  [...(JSON.stringify(value) ?? '').matchAll(reference)].map(([, key = '']) => key);

/** Puts in what the references stand for. */
export function resolveRefs<Value>(value: Value, lookUp: (key: string) => string): Value {
  if (typeof value === 'string') return value.replace(reference, (_all, key: string) => lookUp(key)) as Value;
  if (Array.isArray(value)) return value.map((item) => resolveRefs(item, lookUp)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, resolveRefs(inner, lookUp)]),
  ) as Value;
}
