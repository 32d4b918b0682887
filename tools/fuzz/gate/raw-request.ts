/** A request as it goes over the wire, one character for each byte. */
export interface RawRequest {
  /** Part of its `user-agent`, which the gateway passes on. */
  number: number;
  method: string;
  target: string;
  version: string;
  headers: readonly string[];
  body: string;
  /**
   * The bytes after it on its connection are undefined: it is sent alone, and its connection ends with it. `silent`:
   * the server may wait for the rest of it.
   */
  framing: 'plain' | 'alone' | 'silent';
}

export const agentOf = (number: number): string => `fuzz-${number}`;

export function bytesOf({ method, target, version, headers, body }: RawRequest): string {
  return `${[`${method} ${target}${version}`, ...headers].join('\r\n')}\r\n\r\n${body}`;
}
