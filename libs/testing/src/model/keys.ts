/** Model providers' answers about keys: OpenAI and compatible ones, and Anthropic. */
import type { Answer, Call } from '../fake/fake-server.ts';
import { unauthorized } from './wire.ts';

/**
 * `restricted` may answer but not list models; `forbidden` may do nothing from here. Both are genuine, as are keys
 * without credit and those of a suspended organization.
 */
export type KeyState =
  | 'good'
  | 'bad'
  | 'restricted'
  | 'forbidden'
  | 'without credit'
  | 'on hold'
  | 'rate limited';

const isAnthropic = ({ headers }: Call): boolean => headers['anthropic-version'] !== undefined;

/** The key in a call, from the header that its provider uses. */
export function keyOf({ headers }: Call): string {
  const own = headers['x-api-key'];
  return typeof own === 'string' ? own : (headers.authorization ?? '').replace(/^Bearer /, '');
}

/** A provider's refusal of a call with a key in this state; `undefined` if it is allowed. */
export function refusalOf(call: Call, state: KeyState, retryAfter: number | undefined): Answer | undefined {
  if (state === 'good' || (state === 'restricted' && call.operation === 'chat')) return undefined;
  const refusal = isAnthropic(call) ? anthropicRefusal(state) : openaiRefusal(call, state);
  return state === 'rate limited' && retryAfter !== undefined
    ? { ...refusal, headers: { 'retry-after': String(retryAfter) } }
    : refusal;
}

function openaiRefusal(call: Call, state: Exclude<KeyState, 'good'>): Answer {
  const refuse = (status: number, type: string, code: string | null, message: string): Answer => ({
    status,
    body: { error: { message, type, param: null, code } },
  });
  switch (state) {
    case 'bad':
      return unauthorized(call);
    case 'restricted':
      return refuse(
        401,
        'invalid_request_error',
        null,
        'You have insufficient permissions for this operation. Missing scopes: api.model.read.',
      );
    case 'forbidden':
      return refuse(
        403,
        'request_forbidden',
        'unsupported_country_region_territory',
        'Country not supported',
      );
    case 'without credit':
    case 'on hold':
      return refuse(429, 'insufficient_quota', 'credit_balance_exhausted', `No credit: ${keyOf(call)}`);
    case 'rate limited':
      return refuse(429, 'requests', 'rate_limit_exceeded', `Rate limit reached for ${keyOf(call)}`);
  }
}

function anthropicRefusal(state: Exclude<KeyState, 'good'>): Answer {
  const refuse = (status: number, type: string, code?: string): Answer => ({
    status,
    body: {
      type: 'error',
      error: { type, message: `${type} of the fake`, ...(code ? { details: { error_code: code } } : {}) },
      request_id: 'req_fake',
    },
  });
  switch (state) {
    case 'bad':
      return refuse(401, 'authentication_error');
    case 'restricted':
    case 'forbidden':
      return refuse(403, 'permission_error');
    case 'without credit':
      return refuse(402, 'billing_error');
    case 'on hold':
      return refuse(400, 'invalid_request_error', 'organization_on_hold');
    case 'rate limited':
      return refuse(429, 'rate_limit_error');
  }
}

/** A model in the list format of the called provider. */
export function modelOnWire(call: Call, id: string): Record<string, unknown> {
  return isAnthropic(call)
    ? { id, type: 'model', display_name: id, created_at: '2026-01-01T00:00:00Z' }
    : { id, object: 'model', created: 1_760_000_000, owned_by: 'fake' };
}

export function modelListOnWire(call: Call, ids: readonly string[]): Record<string, unknown> {
  const data = ids.map((id) => modelOnWire(call, id));
  return isAnthropic(call)
    ? { data, has_more: false, first_id: ids[0] ?? null, last_id: ids.at(-1) ?? null }
    : { object: 'list', data };
}
