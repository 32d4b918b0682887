/** A request in wire format, with one character per byte. */
export interface RawRequest {
  /** The request's number, which is part of its `user-agent`. The gateway forwards that header. */
  number: number;
  method: string;
  target: string;
  version: string;
  headers: readonly string[];
  body: string;
  /**
   * Requests other than `plain` make the following bytes on a connection undefined. They are sent alone, and their
   * connection is closed. For `silent`, the server may wait for more bytes.
   */
  framing: 'plain' | 'alone' | 'silent';
}

export const agentOf = (number: number): string => `fuzz-${number}`;

export function bytesOf({ method, target, version, headers, body }: RawRequest): string {
  return `${[`${method} ${target}${version}`, ...headers].join('\r\n')}\r\n\r\n${body}`;
}
