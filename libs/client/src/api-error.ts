/** One fault of a request. */
export interface ApiIssue {
  path?: unknown;
  message: string;
}

/** An answer other than 2xx. Programs decide by `status`; `message` is meant for people. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** The faults of single fields. */
  readonly issues: readonly ApiIssue[];
  /** For support: the same identifier is in the logs. */
  readonly requestId: string | null;
  /** From `Retry-After`, if the answer has it. */
  readonly retryAfterSeconds: number | null;

  constructor(response: Response, body: unknown) {
    const said = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
    super(typeof said.error === 'string' ? said.error : `the server answered ${response.status}`);
    this.status = response.status;
    this.issues = Array.isArray(said.issues) ? (said.issues as ApiIssue[]) : [];
    this.requestId = response.headers.get('x-request-id');
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    this.retryAfterSeconds = Number.isFinite(seconds) ? seconds : null;
  }
}

/** Reads the body of an answer other than 2xx. A body that isn't JSON gives an error without a message of its own. */
export async function readError(response: Response): Promise<ApiError> {
  const text = await response.text();
  try {
    return new ApiError(response, JSON.parse(text));
  } catch {
    return new ApiError(response, undefined);
  }
}
