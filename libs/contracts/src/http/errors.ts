import { z } from 'zod';

interface Meaning {
  /** HTTP statuses of responses with this code; empty if it occurs only in a stream of events. */
  statuses: readonly number[];
  meaning: string;
}

/**
 * Every `code` that an error body can have. A code keeps its name and its meaning. New codes may be added, so clients
 * treat an unknown code by its status.
 */
export const errorCodes = {
  bad_request: { statuses: [400], meaning: 'The request as a whole is invalid. `error` gives the reason.' },
  validation_failed: {
    statuses: [400],
    meaning: 'Fields of the body, the query or the path are invalid. `issues` has one entry for each fault.',
  },
  invalid_json: {
    statuses: [400],
    meaning: 'The body is not valid JSON. `issues` gives the position of the error.',
  },
  no_active_tenant: {
    statuses: [400],
    meaning: 'The request names no tenant, and none is active. Send `X-Tenant-Id`, or select a tenant.',
  },
  unauthorized: { statuses: [401], meaning: 'The request has no valid session token, signature or link.' },
  development_only_on_loopback: {
    statuses: [401],
    meaning: 'In development mode, requests without a token are accepted only from the same machine.',
  },
  forbidden: {
    statuses: [403],
    meaning: 'The caller may not do this, or has no access to the tenant, which may or may not exist.',
  },
  not_found: { statuses: [404], meaning: 'The resource does not exist, or does not belong to the tenant.' },
  method_not_allowed: {
    statuses: [405],
    meaning: 'The path does not support this method. `Allow` lists the supported ones.',
  },
  not_acceptable: { statuses: [406], meaning: 'The delivery is rejected permanently.' },
  request_timeout: { statuses: [408], meaning: 'The request did not arrive in time.' },
  conflict: {
    statuses: [409],
    meaning: 'The current state does not allow the request. `error` gives the reason.',
  },
  already_exists: { statuses: [409], meaning: 'The same item exists already.' },
  name_taken: { statuses: [409], meaning: 'Another item of the same kind has this name.' },
  in_use: { statuses: [409], meaning: 'Something else needs or uses the item. Remove it there first.' },
  last_admin: { statuses: [409], meaning: 'The change would leave a tenant without an admin.' },
  changed_meanwhile: {
    statuses: [409],
    meaning: 'Another request changed the item in the meantime. Read it again.',
  },
  already_decided: { statuses: [409], meaning: 'The item was already decided, used or finished.' },
  expired: { statuses: [409], meaning: 'The item has expired. Start again.' },
  limit_reached: {
    statuses: [409, 422],
    meaning: 'The limit on the number of items is reached. If an operator can raise it, `limit` names it.',
  },
  taken_over: { statuses: [409], meaning: 'A person handles the chat, so no agent answers in it.' },
  not_taken_over: { statuses: [409], meaning: 'The bot handles the chat. Take it over first.' },
  storage_full: { statuses: [409], meaning: "The tenant's storage for documents is full." },
  payload_too_large: { statuses: [413], meaning: 'The body is too large.' },
  unsupported_media_type: {
    statuses: [415],
    meaning: 'The type or the encoding of the body is not supported.',
  },
  unprocessable: {
    statuses: [422],
    meaning: 'The request is well-formed, but a rule rejects it. `error` gives the reason.',
  },
  credentials_rejected: { statuses: [422], meaning: 'The platform does not accept these credentials.' },
  no_key: { statuses: [422], meaning: 'There is no key for the provider. Store one.' },
  key_refused: { statuses: [], meaning: 'The provider refused the key.' },
  model_refused: { statuses: [], meaning: 'The provider has no such model, or the key may not use it.' },
  request_refused: {
    statuses: [],
    meaning: 'The provider refused the request. Check the model and its settings.',
  },
  model_timeout: { statuses: [], meaning: 'The model took too long.' },
  model_unavailable: { statuses: [], meaning: 'The provider does not answer.' },
  unusable_answer: { statuses: [], meaning: "The model's answer was too long, or could not be read." },
  empty_answer: { statuses: [], meaning: 'The model returned an empty answer.' },
  given_up: { statuses: [], meaning: 'The operation was aborted before it ended.' },
  too_many_requests: {
    statuses: [429],
    meaning: 'The requests are too many or too frequent. Wait for `Retry-After`.',
  },
  rate_limited: { statuses: [429], meaning: 'The provider limits the keys. Retry in a minute.' },
  quota_exhausted: { statuses: [429], meaning: "The tenant's quota is used up." },
  allowance_used_up: {
    statuses: [429],
    meaning: "The tenant's allowance for the platform's keys is used up. Store a key of the tenant.",
  },
  headers_too_large: { statuses: [431], meaning: 'The request has too many headers, or too large ones.' },
  internal: { statuses: [500], meaning: 'An internal error. The log has its cause.' },
  not_implemented: { statuses: [501], meaning: 'This server does not implement the requested HTTP feature.' },
  bad_gateway: {
    statuses: [502],
    meaning: 'A service on which this one depends refused the request, or gave no usable answer.',
  },
  unavailable: { statuses: [503], meaning: 'A service is down or overloaded. Retry after `Retry-After`.' },
  not_configured: {
    statuses: [422, 503],
    meaning: 'The operator of this installation has not configured the feature. Retrying does not help.',
  },
  timeout: { statuses: [504], meaning: 'A service on which this one depends did not answer in time.' },
} as const satisfies Record<string, Meaning>;

export type ErrorCode = keyof typeof errorCodes;

/** Every `code` that an entry of `issues` can have. */
export const issueCodes = {
  required: 'The field is missing.',
  unrecognized_field:
    'There is no such field or query parameter. If one has a similar name, `message` names it.',
  invalid_type: 'The value has the wrong type.',
  invalid_format: 'The text does not have the required format.',
  invalid_value: 'The value is not one of the allowed values, or a rule rejects it.',
  cursor_mismatch: 'The cursor belongs to another sort order or other filters. Start again without it.',
  too_small: 'The value is too small or too short.',
  too_big: 'The value is too large or too long.',
} as const;

export type IssueCode = keyof typeof issueCodes;

const namesOf = <Name extends string>(list: Record<Name, unknown>) =>
  z.enum(Object.keys(list) as [Name, ...Name[]]);

/** One fault of a request. */
const ErrorIssue = z
  .looseObject({
    path: z
      .string()
      .describe('The path of the field, with dots between its parts. Empty for the whole body.'),
    code: namesOf(issueCodes).describe('The kind of fault. Stable; new codes may be added.'),
    message: z.string().describe('A message for people.'),
    line: z.number().int().optional().describe('Line number within a text of several lines, starting at 1.'),
    column: z.number().int().optional().describe('In invalid JSON: the column of the error, starting at 1.'),
  })
  .meta({ id: 'ErrorIssue', description: 'One fault of a request: where it is and what is wrong.' });

/** The body of every response with a status of 400 or above. */
export const ErrorBody = z
  .looseObject({
    error: z.string().describe('A message for people. Programs use `code`.'),
    code: namesOf(errorCodes).describe('Stable. New codes may be added.'),
    issues: z.array(ErrorIssue).optional().describe('One entry for each fault of the request.'),
  })
  .meta({ id: 'Error', description: 'The body of every response with a status of 400 or above.' });
