import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createIdentityVerifier, identityHeader, type VerifyIdentity } from '@botyard/shared/auth/identity';
import { forgedMark } from './forged-headers.ts';
import { isOpenTarget } from './verdicts.ts';

/** Handlers set this header to the request's number. The gateway's own responses lack it. */
const handledHeader = 'x-handled';

/** A service behind the gateway that inspects and answers every request. */
export class Recorder {
  arrivals = 0;
  readonly #name: string;
  readonly #verify: VerifyIdentity;
  readonly #onFault: (fault: string, agent: string) => void;
  readonly #server: Server = createServer((req, res) => {
    this.arrivals += 1;
    req.resume();
    req.on('end', () => {
      const agent = req.headers['user-agent'] ?? '';
      // The gateway sends these probes itself.
      const isProbe = (req.url === '/readyz' || req.url === '/healthz') && !/^(?:fuzz|hidden)/.test(agent);
      if (!isProbe) this.#judge(req, agent).catch((error: Error) => this.#onFault(error.message, agent));
      res.writeHead(200, { 'content-type': 'application/json', 'content-length': 2, [handledHeader]: agent });
      res.end('{}');
    });
  });

  private constructor(name: string, verify: VerifyIdentity, onFault: (fault: string, agent: string) => void) {
    this.#name = name;
    this.#verify = verify;
    this.#onFault = onFault;
    this.#server.on('clientError', (error, socket) => {
      const { code = '' } = error as NodeJS.ErrnoException;
      // A closed connection is not a fault.
      if (code.startsWith('HPE_') && code !== 'HPE_INVALID_EOF_STATE')
        onFault(`${name} received invalid HTTP (${code})`, '');
      socket.destroy();
    });
  }

  static async start(
    name: string,
    verifyKey: string,
    onFault: (fault: string, agent: string) => void,
  ): Promise<Recorder> {
    const recorder = new Recorder(name, await createIdentityVerifier(verifyKey, name), onFault);
    const { promise, resolve } = Promise.withResolvers<void>();
    recorder.#server.listen(0, '127.0.0.1', resolve);
    await promise;
    return recorder;
  }

  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** Checks a request. No caller is authenticated, so it must be public and anonymous and have no forged value. */
  async #judge({ url = '', headers, rawHeaders }: IncomingMessage, agent: string): Promise<void> {
    const where = `${this.#name} ${JSON.stringify(url)}`;
    if (!isOpenTarget(url)) this.#onFault(`a handler was reached without a principal: ${where}`, agent);
    const forged = rawHeaders.find(
      (text, index) => text.includes(forgedMark) && !isOriginForAdapter(rawHeaders, index, url),
    );
    if (forged) this.#onFault(`a forged header came through: ${JSON.stringify(forged)} to ${where}`, agent);
    if (headers.host !== this.address) this.#onFault(`the host is ${headers.host}: ${where}`, agent);
    const identity = await this.#verify(headers[identityHeader] as string | undefined);
    if (identity?.kind !== 'anonymous')
      this.#onFault(`the identity is ${JSON.stringify(identity)}: ${where}`, agent);
  }
}

/**
 * Whether this is the value of the `Origin` header of a request to an adapter. The web chat's adapter answers only the
 * pages of origins that its tenant allows, so it is the one header of a browser that it has to see.
 */
const isOriginForAdapter = (rawHeaders: readonly string[], index: number, url: string): boolean =>
  index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'origin' && /^\/webhooks(?:[/?]|$)/i.test(url);
