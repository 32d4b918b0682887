import { z } from 'zod';

interface Meaning {
  /** The statuses that it comes with; none where it only comes in a stream of events. */
  statuses: readonly number[];
  meaning: string;
}

/**
 * Every `code` that an error body can have. A code keeps its name and its meaning. New ones may be added, so a client
 * treats one that it doesn't know as the status says.
 */
export const errorCodes = {
  bad_request: { statuses: [400], meaning: 'The request as a whole has a fault, which `error` names.' },
  validation_failed: {
    statuses: [400],
    meaning: 'Fields of the body, the query or the path are not valid: `issues` has one entry for each.',
  },
  invalid_json: { statuses: [400], meaning: 'The body is not JSON: `issues` says where it breaks.' },
  no_active_tenant: {
    statuses: [400],
    meaning: 'No tenant is named and none is active: send `X-Tenant-Id`, or select one.',
  },
  unauthorized: { statuses: [401], meaning: 'No valid session token, signature or link.' },
  development_only_on_loopback: {
    statuses: [401],
    meaning: 'Development mode answers requests without a token only on the machine itself.',
  },
  forbidden: {
    statuses: [403],
    meaning: 'The caller may not do this, or does not reach the tenant, which may or may not exist.',
  },
  not_found: { statuses: [404], meaning: 'It does not exist, or not within the tenant.' },
  method_not_allowed: { statuses: [405], meaning: 'The path takes other methods: `Allow` lists them.' },
  not_acceptable: { statuses: [406], meaning: 'A delivery that is refused for good.' },
  request_timeout: { statuses: [408], meaning: 'The request did not arrive in time.' },
  conflict: { statuses: [409], meaning: 'The state does not allow it, as `error` says.' },
  already_exists: { statuses: [409], meaning: 'The same is there already.' },
  name_taken: { statuses: [409], meaning: 'Something of the same kind has this name.' },
  in_use: { statuses: [409], meaning: 'Something else needs it or holds it: take it from there first.' },
  last_admin: { statuses: [409], meaning: 'It would leave a tenant without an admin.' },
  changed_meanwhile: { statuses: [409], meaning: 'Somebody else changed it: read it again.' },
  already_decided: { statuses: [409], meaning: 'It was decided, used or finished before.' },
  expired: { statuses: [409], meaning: 'Its time is over: begin again.' },
  limit_reached: {
    statuses: [409, 422],
    meaning: 'As many as there may be are there. Where an operator can raise it, `limit` names it.',
  },
  taken_over: { statuses: [409], meaning: 'A person handles the chat: no agent answers in it.' },
  not_taken_over: { statuses: [409], meaning: 'The bot handles the chat: take it over first.' },
  storage_full: { statuses: [409], meaning: "The tenant's documents take all the bytes that they may." },
  payload_too_large: { statuses: [413], meaning: 'The body is too large.' },
  unsupported_media_type: {
    statuses: [415],
    meaning: 'The body has a type or an encoding that is not taken.',
  },
  unprocessable: { statuses: [422], meaning: 'Understood, and refused by a rule, as `error` says.' },
  credentials_rejected: { statuses: [422], meaning: 'The platform does not accept these credentials.' },
  no_key: { statuses: [422], meaning: 'There is no key for the provider: store one.' },
  key_refused: { statuses: [], meaning: 'The provider refused the key.' },
  model_refused: { statuses: [], meaning: 'The provider has no such model, or the key may not use it.' },
  request_refused: {
    statuses: [],
    meaning: 'The provider refused the request: check the model and its settings.',
  },
  model_timeout: { statuses: [], meaning: 'The model took too long.' },
  model_unavailable: { statuses: [], meaning: 'The provider does not answer.' },
  unusable_answer: { statuses: [], meaning: "The model's answer was too long, or could not be read." },
  empty_answer: { statuses: [], meaning: 'The model had nothing to say.' },
  given_up: { statuses: [], meaning: 'It was given up before it ended.' },
  too_many_requests: { statuses: [429], meaning: 'Too many at once or too often: wait for `Retry-After`.' },
  rate_limited: { statuses: [429], meaning: 'The provider limits the keys: try again in a minute.' },
  quota_exhausted: { statuses: [429], meaning: "The tenant's quota is used up." },
  allowance_used_up: {
    statuses: [429],
    meaning: "What the tenant may use on the platform's keys is used up: store a key of its own.",
  },
  headers_too_large: { statuses: [431], meaning: 'The request has too many headers, or too large ones.' },
  internal: { statuses: [500], meaning: 'A fault of ours; the log has its cause.' },
  not_implemented: { statuses: [501], meaning: 'HTTP has it, and this server does not.' },
  bad_gateway: {
    statuses: [502],
    meaning: 'Something behind the service refused, or gave no usable answer.',
  },
  unavailable: { statuses: [503], meaning: 'Something is down or too busy: try again after `Retry-After`.' },
  not_configured: {
    statuses: [422, 503],
    meaning: 'The operator of this installation has not configured it: trying again does not help.',
  },
  timeout: { statuses: [504], meaning: 'Something behind the service did not answer in time.' },
} as const satisfies Record<string, Meaning>;

export type ErrorCode = keyof typeof errorCodes;

/** Every `code` that an entry of `issues` can have. */
export const issueCodes = {
  required: 'The field is missing.',
  unrecognized_field:
    'There is no such field or query parameter. Where one has a similar name, `message` says which.',
  invalid_type: 'The value has another type.',
  invalid_format: 'The text does not have the form that is needed.',
  invalid_value: 'The value is none of those that are allowed, or a rule refuses it.',
  cursor_mismatch: 'The cursor belongs to another sort or to other filters: begin again without it.',
  too_small: 'The value is smaller or shorter than it may be.',
  too_big: 'The value is larger or longer than it may be.',
} as const;

export type IssueCode = keyof typeof issueCodes;

const namesOf = <Name extends string>(list: Record<Name, unknown>) =>
  z.enum(Object.keys(list) as [Name, ...Name[]]);

/** One fault of a request. */
const ErrorIssue = z
  .looseObject({
    path: z.string().describe('The field, with dots between steps. Empty for the whole body.'),
    code: namesOf(issueCodes).describe('What is wrong with the value. Stable; new codes may be added.'),
    message: z.string().describe('For people.'),
    line: z.number().int().optional().describe('Within a text of several lines, from 1.'),
    column: z
      .number()
      .int()
      .optional()
      .describe('In broken JSON: the character of the line where it breaks, from 1.'),
  })
  .meta({ id: 'ErrorIssue', description: 'One fault of a request: where it is and what is wrong.' });

/** The body of every answer with a status of 400 or above. */
export const ErrorBody = z
  .looseObject({
    error: z.string().describe('For people; programs read `code`.'),
    code: namesOf(errorCodes).describe('Stable. New codes may be added.'),
    issues: z.array(ErrorIssue).optional().describe('One entry for each fault of the request.'),
  })
  .meta({ id: 'Error', description: 'The body of every answer with a status of 400 or above.' });
