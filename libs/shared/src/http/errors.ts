/** One fault of a request. Where a field holds text of several lines, `line` and `column` say where in it (from 1). */
export interface Issue {
  path: string;
  message: string;
  line?: number;
  column?: number;
}

export interface ErrorDetails {
  issues?: Issue[];
  [detail: string]: unknown;
}

/**
 * An answer other than success. `message` and `details` are for the client; `cause` goes to the log only
 * (specification 7: `{ error: string }`, with detail beside it for some validation failures).
 */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;
  readonly details: ErrorDetails;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    status: number,
    message: string,
    options: { cause?: unknown; details?: ErrorDetails; retryAfterSeconds?: number } = {},
  ) {
    super(message, { cause: options.cause });
    this.status = status;
    this.details = options.details ?? {};
    this.retryAfterSeconds = options.retryAfterSeconds ?? (status === 503 || status === 429 ? 1 : undefined);
  }
}

type Options = ConstructorParameters<typeof HttpError>[2];

export const badRequest = (message: string, options?: Options) => new HttpError(400, message, options);
export const unauthorized = (message = 'authentication is required', options?: Options) =>
  new HttpError(401, message, options);
export const forbidden = (message = 'you may not do this', options?: Options) =>
  new HttpError(403, message, options);
export const notFound = (what: string, options?: Options) => new HttpError(404, `${what} not found`, options);
export const conflict = (message: string, options?: Options) => new HttpError(409, message, options);
export const unprocessable = (message: string, options?: Options) => new HttpError(422, message, options);
export const unavailable = (message: string, options?: Options) => new HttpError(503, message, options);

/** 400 with one entry of `issues` for each fault (decisions 3). */
export function invalid(
  issues: readonly { path: PropertyKey[]; message: string; line?: number; column?: number }[],
): HttpError {
  const listed = issues.slice(0, 50).map(({ path, message, line, column }) => ({
    path: path.map(String).join('.'),
    message,
    ...(line === undefined || column === undefined ? {} : { line, column }),
  }));
  return badRequest('the request is not valid', { details: { issues: listed } });
}
