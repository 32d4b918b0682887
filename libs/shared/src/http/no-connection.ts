/** Of the system, and of `fetch`, which waits for 10 s for a connection. */
const codes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Whether a `fetch` failed before it had a connection, so that nothing of it was sent. */
export function foundNoConnection(error: unknown): boolean {
  const { cause } = error as { cause?: { code?: unknown } };
  return codes.has(String(cause?.code));
}
