import { type AnyRoute, actsInActiveTenant } from '@botyard/contracts/http/contract';
import { ErrorBody } from '@botyard/contracts/http/errors';
import { z } from 'zod';
import type { ZodOpenApiResponseObject } from 'zod-openapi';

const retryAfter = z.object({
  'Retry-After': z.string().meta({ description: 'The number of seconds to wait before retrying.' }),
});

const texts: Readonly<Record<number, string>> = {
  400:
    'The request is invalid. `issues` lists the faults, including unknown fields and query parameters. ' +
    'Without `issues`, the URL is malformed or no tenant is active.',
  401:
    'The session token is missing or invalid. In development mode, requests without a token are ' +
    'accepted only from the same machine.',
  403:
    'The caller is not allowed to do this, or has no access to the tenant. The response is the same whether ' +
    'or not the tenant exists.',
  404:
    'The resource does not exist in this tenant. For operators, also if the tenant named by the request does ' +
    'not exist.',
  406: 'Permanently rejected. The platform does not retry the delivery.',
  409:
    'The request conflicts with the current state: for example, a name or token is already in use, or the ' +
    'resource is still needed.',
  413: 'The request body is too large.',
  415: 'The media type of the request body is not supported. Most operations require `application/json`.',
  422: 'The request is valid, but was refused by a rule or by an external platform.',
  429: 'Too many deliveries from this address.',
  500: 'An internal error. The message is always the same; the cause is logged.',
  502: 'An upstream service returned an unusable response.',
  503: 'An upstream service is unavailable.',
  504: 'An upstream service did not respond in time.',
};
const withRetryAfter = new Set([429, 503]);

/** Statuses that every request may return. */
const always = [400, 500, 503, 504];

/** The error statuses of a route: those from access checks, parsing and the gateway, and its own. */
export function errorStatusesOf(route: AnyRoute): number[] {
  const { access, body, path, errors } = route;
  const statuses = new Set([...always, ...errors]);
  if (access !== 'public') statuses.add(401);
  if (access !== 'public' && access !== 'authenticated') statuses.add(403);
  // Operators have access to every tenant, so they may name one that does not exist.
  if (path.includes(':') || actsInActiveTenant(route)) statuses.add(404);
  if (body) statuses.add(413).add(415);
  return [...statuses].sort((left, right) => left - right);
}

export function errorResponses(statuses: readonly number[]): Record<string, ZodOpenApiResponseObject> {
  return Object.fromEntries(statuses.map((status) => [status, errorResponse(status)]));
}

const made = new Map<number, ZodOpenApiResponseObject>();

/** Returns the same object for the same status, so that the document defines each response once. */
function errorResponse(status: number): ZodOpenApiResponseObject {
  const existing = made.get(status);
  if (existing) return existing;
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
