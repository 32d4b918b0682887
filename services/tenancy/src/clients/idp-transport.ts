import { readBoundedJson } from '@botyard/shared/http/bounded-body';
import { conflict, HttpError, unavailable, unprocessable } from '@botyard/shared/http/errors';
import type { Secret } from '@botyard/shared/secrets/secret';
import type { Problems } from '@botyard/shared/system/problems';
import { z } from 'zod';

export interface IdpSettings {
  baseUrl: string;
  secretKey: Secret | undefined;
  problems?: Pick<Problems, 'note' | 'clear'> | undefined;
}

export interface IdpRequest {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Consists of constants and validated identifiers. */
  path: string;
  body?: object;
}

/**
 * Makes one call, within 5 seconds and 16 MiB. Resolves with `null` for missing records, `undefined` for an unreadable
 * success. @throws HttpError 503 when there is no answer, 409 and 422 when the provider refuses; never with the
 * provider's own text.
 */
type IdpTransport = (request: IdpRequest) => Promise<unknown>;

const timeoutMs = 5000;
const maxAnswerBytes = 16 * 1024 * 1024;
/** A page has up to 500 people with everything that the provider knows about them. */
const bounds = { maxValues: 200_000, maxDepth: 100 };
const longestWaitSeconds = 60;
const apiVersion = '2025-11-10';

/** The provider's error codes with a special meaning. */
const conflicts: Readonly<Record<string, string>> = {
  already_a_member_in_organization: 'this user is already a member of the organization',
  duplicate_record: 'the identity provider already has this',
};

const Errors = z.object({ errors: z.array(z.object({ code: z.string() })).min(1) });

export function createIdpTransport({ baseUrl, secretKey, problems }: IdpSettings): IdpTransport {
  return async ({ method, path, body }) => {
    if (!secretKey)
      throw unavailable('no identity provider is configured: set IDP_SECRET_KEY', { isExpected: true });
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${secretKey.reveal()}`,
        'clerk-api-version': apiVersion,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
      ...(body ? { body: JSON.stringify(body) } : {}),
    }).catch((error: unknown) => {
      throw unavailable('the identity provider does not answer', { cause: error });
    });
    const answer = await readAnswer(response);
    const problem = problemOf(baseUrl, response.status, answer);
    if (problem) problems?.note(problem);
    else if (response.ok) for (const setting of ['IDP_API_URL', 'IDP_SECRET_KEY']) problems?.clear(setting);
    if (response.status === 404) return null;
    if (!response.ok) throw failureOf(response, answer);
    return answer;
  };
}

/** A refusal that has nothing to do with what was asked. A record that is missing has the provider's own error body. */
function problemOf(baseUrl: string, status: number, answer: unknown) {
  if (status === 401)
    return {
      setting: 'IDP_SECRET_KEY',
      cause: 'refused',
      problem: `the identity provider at ${baseUrl} refuses the key: it belongs to another instance, or was revoked`,
    };
  if (status !== 404 || Errors.safeParse(answer).success) return undefined;
  const problem = `${baseUrl} answers 404 like no Backend API: the address has to end in /v1`;
  return { setting: 'IDP_API_URL', cause: 'path', problem };
}

/** Translates the provider's failure into an HttpError. */
function failureOf(response: Response, answer: unknown): HttpError {
  const { status } = response;
  const code = Errors.safeParse(answer).data?.errors[0]?.code;
  const cause = new Error(`status ${status}, ${code ?? 'no code'}`);
  if (status === 429) return askedToWait(response);
  if (status === 401)
    return unavailable('the identity provider refuses the key: check IDP_SECRET_KEY', { cause });
  if (code && conflicts[code]) return conflict(conflicts[code], { cause });
  if (status === 409)
    return conflict('the request conflicts with the data of the identity provider', { cause });
  if ([400, 403, 422].includes(status)) return unprocessable('the identity provider refuses this', { cause });
  return unusable(`status ${status}`);
}

function askedToWait(response: Response): HttpError {
  const retryAfter = Number(response.headers.get('retry-after') ?? 1);
  const retryAfterSeconds = Math.min(longestWaitSeconds, Math.max(1, Math.ceil(retryAfter) || 1));
  return new HttpError(503, 'the identity provider limits requests at the moment: try again later', {
    retryAfterSeconds,
  });
}

/** `undefined` for invalid or oversized JSON. */
const readAnswer = (response: Response): Promise<unknown> =>
  readBoundedJson(response, maxAnswerBytes, bounds).catch(() => undefined);

export const unusable = (reason: string): HttpError =>
  unavailable('the identity provider gave no usable answer', { cause: new Error(reason) });

/** @throws HttpError 503 for an answer with another structure. */
export function usable<Schema extends z.ZodType>(schema: Schema, answer: unknown): z.output<Schema> {
  const parsed = schema.safeParse(answer);
  if (!parsed.success) throw unusable('the answer has an unexpected structure');
  return parsed.data;
}

/** @throws HttpError 503 for an unreadable record. */
export function known<Record>(record: Record | null): Record {
  if (record === null) throw unusable('the answer is not the requested record');
  return record;
}
