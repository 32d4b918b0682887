/** Error codes of the system, and of `fetch`, which waits up to 10 s for a connection. */
const codes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);
/** The process or the machine ran out of file descriptors, ports or memory for sockets. */
const exhausted = new Set(['EMFILE', 'ENFILE', 'EADDRNOTAVAIL', 'ENOBUFS']);

/** Whether a `fetch` failed before it had a connection, so that nothing was sent. */
export const foundNoConnection = (error: unknown): boolean =>
  codes.has(codeOf(error)) || hadNothingToConnectWith(error);

/** Whether a `fetch` failed because this machine lacked resources, which says nothing about the peer. */
export const hadNothingToConnectWith = (error: unknown): boolean => exhausted.has(codeOf(error));

const codeOf = (error: unknown): string => String((error as { cause?: { code?: unknown } }).cause?.code);
