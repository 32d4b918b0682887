import type { ErrorStatus } from '@botyard/contracts/http/errors';

/** One fault of a request. */
export interface Issue {
  path: string;
  message: string;
}

interface Options {
  cause?: unknown;
  issues?: readonly Issue[];
  retryAfterSeconds?: number;
  /** Whether the operator's settings cause it. Then nothing has failed, and the log gets no error. */
  isExpected?: boolean;
}

/** The body of a response with a status of 400 or above. */
interface Body {
  error: string;
  issues?: readonly Issue[];
}

/**
 * A response other than success. `message` and `issues` are for the client; `cause` is only logged (REQ-HTTP-1:
 * `{ error: string }`, with `issues` beside it and nothing else).
 */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: ErrorStatus;
  readonly issues: readonly Issue[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly isExpected: boolean;

  constructor(status: ErrorStatus, message: string, options: Options = {}) {
    super(message, { cause: options.cause });
    this.status = status;
    this.issues = options.issues;
    this.retryAfterSeconds = options.retryAfterSeconds ?? (status === 503 ? 1 : undefined);
    this.isExpected = options.isExpected ?? false;
  }

  /** The body of the response. */
  get body(): Body {
    const issues = this.issues?.map(({ path, message }) => ({ path, message }));
    return { error: this.message, ...(issues ? { issues } : {}) };
  }
}

export const badRequest = (message: string, options?: Options) => new HttpError(400, message, options);
export const unauthorized = (message = 'authentication is required', options?: Options) =>
  new HttpError(401, message, options);
export const forbidden = (message = 'you may not do this', options?: Options) =>
  new HttpError(403, message, options);
export const notFound = (what: string, options?: Options) => new HttpError(404, `${what} not found`, options);
export const conflict = (message: string, options?: Options) => new HttpError(409, message, options);
export const unprocessable = (message: string, options?: Options) => new HttpError(422, message, options);
export const unavailable = (message: string, options?: Options) => new HttpError(503, message, options);

/** Whether something that is needed doesn't answer at the moment: the work itself has no fault. */
export const isUnavailable = (error: unknown): boolean => error instanceof HttpError && error.status === 503;

/** Longer lists don't help a reader. */
export const maxIssues = 50;

/** 400 with one entry of `issues` for each fault (REQ-HTTP-1). */
export function invalid(issues: readonly { path: PropertyKey[]; message: string }[]): HttpError {
  const listed = issues
    .slice(0, maxIssues)
    .map(({ path, message }) => ({ path: path.map(String).join('.'), message }));
  return badRequest('the request is not valid', { issues: listed });
}
