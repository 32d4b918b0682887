import { type AnyRoute, actsInActiveTenant } from '@botyard/contracts/http/contract';
import { ErrorBody } from '@botyard/contracts/http/errors';
import { z } from 'zod';
import type { ZodOpenApiResponseObject } from 'zod-openapi';

const retryAfter = z.object({
  'Retry-After': z.string().meta({ description: 'Seconds after which to try again.' }),
});

const texts: Readonly<Record<number, string>> = {
  400: "The request can't be understood: `issues` says where, an unknown field or query parameter included. Without `issues`: the address is malformed, or no tenant is active.",
  401: 'No valid session token or API token. In development mode requests without one are answered only on the machine itself (`code: development_only_on_loopback`).',
  403: 'The caller may not do this, or may not reach the tenant, which may or may not exist.',
  404: 'It does not exist, or is not in this tenant. For operators also: the tenant that the request names does not exist.',
  406: 'Refused for good: the platform stops delivering it.',
  409: 'It is in conflict with the state: a name or token in use, or something that still needs it.',
  413: 'The body is too large.',
  415: 'The body is not `application/json`.',
  422: 'Understood, but refused by a rule or by the platform behind it.',
  429: 'Too many deliveries from this address.',
  500: 'A fault of ours. The text is always the same; the log has the cause.',
  502: 'Something behind us gave no usable answer.',
  503: 'Something behind us is down.',
  504: 'Something behind us did not answer in time.',
};
const withRetryAfter = new Set([429, 503]);

/** Statuses that are possible for every request. */
const always = [400, 500, 503, 504];

/** The error statuses of a route: those from access, parsing and the gateway, and the route's own. */
export function errorStatusesOf(route: AnyRoute): number[] {
  const { access, body, path, errors } = route;
  const statuses = new Set([...always, ...errors]);
  if (access !== 'public') statuses.add(401);
  if (access !== 'public' && access !== 'authenticated') statuses.add(403);
  // Operators reach every tenant, and may name one that does not exist.
  if (path.includes(':') || actsInActiveTenant(route)) statuses.add(404);
  if (body) statuses.add(413).add(415);
  return [...statuses].sort((left, right) => left - right);
}

export function errorResponses(statuses: readonly number[]): Record<string, ZodOpenApiResponseObject> {
  return Object.fromEntries(statuses.map((status) => [status, errorResponse(status)]));
}

const made = new Map<number, ZodOpenApiResponseObject>();

/** One object per status, so that the document describes it once. */
function errorResponse(status: number): ZodOpenApiResponseObject {
  const known = made.get(status);
  if (known) return known;
  const description = texts[status];
  if (!description) throw new Error(`the documents have no text for the status ${status}`);
  const response: ZodOpenApiResponseObject = {
    id: `error${status}`,
    description,
    content: { 'application/json': { schema: ErrorBody } },
    ...(withRetryAfter.has(status) ? { headers: retryAfter } : {}),
  };
  made.set(status, response);
  return response;
}
