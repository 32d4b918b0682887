/**
 * Returns the address to call. `localhost` and names under it are this machine (RFC 6761), as in browsers and curl; a
 * minimal system has no hosts file that says so.
 */
export function callableUrl(address: string): URL {
  const url = new URL(address);
  if (/(^|\.)localhost$/.test(url.hostname)) url.hostname = '127.0.0.1';
  return url;
}

const failures: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Connection refused',
  ECONNRESET: 'Connection reset by peer',
  UND_ERR_SOCKET: 'Connection closed without a response',
};

/** Says why a call got no response, in the words of a platform: `Failed to resolve host x.test (ENOTFOUND)`. */
export function callFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return 'Connection timed out';
  const { code, message, hostname } = (error.cause ?? error) as NodeJS.ErrnoException & { hostname?: string };
  if (hostname !== undefined) return `Failed to resolve host ${hostname} (${code})`;
  return failures[code ?? ''] ?? (code ? `${message} (${code})` : message);
}
