/** One place of a request that can't be understood. */
export interface ApiIssue {
  path?: unknown;
  /** Stable, like the error's own. */
  code?: string;
  message: string;
  /** Within a text of several lines, from 1. */
  line?: number;
  column?: number;
}

/** An answer other than 2xx. `code` is stable and meant for programs, `message` is meant for people. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  /** The faults of single fields in a 400. */
  readonly issues: readonly ApiIssue[];
  /** For support: the same identifier is in the logs. */
  readonly requestId: string | null;
  /** From `Retry-After`, if the answer has it. */
  readonly retryAfterSeconds: number | null;

  constructor(response: Response, body: unknown) {
    const said = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
    super(typeof said.error === 'string' ? said.error : `the server answered ${response.status}`);
    this.status = response.status;
    this.code = typeof said.code === 'string' ? said.code : `http_${response.status}`;
    this.issues = Array.isArray(said.issues) ? (said.issues as ApiIssue[]) : [];
    this.requestId = response.headers.get('x-request-id');
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    this.retryAfterSeconds = Number.isFinite(seconds) ? seconds : null;
  }
}

/** Reads the body of an answer other than 2xx. A body that isn't JSON gives an error without a code of its own. */
export async function readError(response: Response): Promise<ApiError> {
  const text = await response.text();
  try {
    return new ApiError(response, JSON.parse(text));
  } catch {
    return new ApiError(response, undefined);
  }
}
