/** A request as it goes over the wire, one character for each byte. */
export interface RawRequest {
  /** Stands in its `user-agent`, which the gateway passes on. */
  number: number;
  method: string;
  target: string;
  version: string;
  headers: readonly string[];
  body: string;
  /**
   * What may come after it on its connection is unknown: it goes out alone, and its connection ends with it.
   * `silent`: the server may wait for the rest of it.
   */
  framing: 'plain' | 'alone' | 'silent';
}

export const agentOf = (number: number): string => `fuzz-${number}`;

export function bytesOf({ method, target, version, headers, body }: RawRequest): string {
  return `${[`${method} ${target}${version}`, ...headers].join('\r\n')}\r\n\r\n${body}`;
}
