/** A server that answers every request with an excessively large body. */
import { gzipSync } from 'node:zlib';
import { listenOnLoopback } from './fake/fake-server.ts';

const megabyte = 1024 * 1024;

interface FloodOptions {
  /** Uncompressed size. Defaults to 300. */
  megabytes?: number;
  /** Sends the body compressed, in a thousandth of its size. */
  isGzip?: boolean;
  status?: number;
  contentType?: string;
}

export interface Flood {
  url: string;
  /** Requests so far. */
  readonly requests: number;
  /** Bytes of bodies that were written to connections so far. */
  readonly sentBytes: number;
  close(): Promise<void>;
}

/** Sends white space, so that it could be the beginning of any JSON. */
export async function startFlood({
  megabytes = 300,
  isGzip = false,
  status = 200,
  contentType = 'application/json',
}: FloodOptions = {}): Promise<Flood> {
  const plain = Buffer.alloc(megabyte, ' ');
  // gzip members may follow each other, so one is created and sent repeatedly.
  const chunk = isGzip ? gzipSync(plain) : plain;
  const count = { requests: 0, sentBytes: 0 };
  const server = await listenOnLoopback(async (req, res) => {
    count.requests += 1;
    req.resume();
    res.writeHead(status, { 'content-type': contentType, ...(isGzip ? { 'content-encoding': 'gzip' } : {}) });
    for (let sent = 0; sent < megabytes && !res.destroyed; sent += 1) {
      count.sentBytes += chunk.length;
      if (!res.write(chunk)) await drained(res);
    }
    res.end();
  });
  return {
    url: server.origin,
    get requests() {
      return count.requests;
    },
    get sentBytes() {
      return count.sentBytes;
    },
    close: server.close,
  };
}

function drained(res: NodeJS.EventEmitter): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      res.off('drain', go).off('close', go);
      resolve();
    };
    res.on('drain', go).on('close', go);
  });
}
