import type { ErrorCode, IssueCode } from '@botyard/contracts/http/errors';

/**
 * One fault of a request. If a field holds text of several lines, `line` and `column` give the position in it,
 * starting at 1.
 */
export interface Issue {
  path: string;
  /** Defaults to `invalid_value`. */
  code?: IssueCode;
  message: string;
  line?: number;
  column?: number;
}

interface ErrorDetails {
  issues?: Issue[];
  /** Set by its own option. */
  code?: never;
  [detail: string]: unknown;
}

const codeOfStatus: Readonly<Record<number, ErrorCode>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  406: 'not_acceptable',
  408: 'request_timeout',
  409: 'conflict',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  422: 'unprocessable',
  429: 'too_many_requests',
  431: 'headers_too_large',
  501: 'not_implemented',
  502: 'bad_gateway',
  503: 'unavailable',
  504: 'timeout',
};

interface Options {
  /** For programs. Defaults to the code of the status. */
  code?: ErrorCode;
  cause?: unknown;
  details?: ErrorDetails;
  retryAfterSeconds?: number;
}

/**
 * A response other than success. `message`, `code` and `details` are for the client; `cause` is only logged
 * (REQ-HTTP-1: `{ error: string }`, with details beside it).
 */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;
  readonly code: ErrorCode;
  readonly details: ErrorDetails;
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, message: string, options: Options = {}) {
    super(message, { cause: options.cause });
    this.status = status;
    this.code = options.code ?? codeOfStatus[status] ?? (status < 500 ? 'bad_request' : 'internal');
    this.details = options.details ?? {};
    this.retryAfterSeconds = options.retryAfterSeconds ?? (status === 503 || status === 429 ? 1 : undefined);
  }

  /** The body of the response. */
  get body(): { error: string; code: ErrorCode; issues?: Issue[]; [detail: string]: unknown } {
    const { issues, ...details } = this.details;
    const coded = issues?.map(({ path, code = 'invalid_value' as const, ...issue }) => ({
      path,
      code,
      ...issue,
    }));
    return { error: this.message, code: this.code, ...details, ...(coded ? { issues: coded } : {}) };
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

/** Longer lists don't help a reader. */
export const maxIssues = 50;

/** 400 with one entry of `issues` for each fault (REQ-HTTP-1). */
export function invalid(
  issues: readonly {
    path: PropertyKey[];
    code?: IssueCode;
    message: string;
    line?: number;
    column?: number;
  }[],
): HttpError {
  const listed = issues.slice(0, maxIssues).map(({ path, code, message, line, column }) => ({
    path: path.map(String).join('.'),
    ...(code === undefined ? {} : { code }),
    message,
    ...(line === undefined || column === undefined ? {} : { line, column }),
  }));
  return badRequest('the request is not valid', { code: 'validation_failed', details: { issues: listed } });
}
