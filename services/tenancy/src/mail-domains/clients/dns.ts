import { Resolver } from 'node:dns/promises';

/** The name servers' answer about a name's TXT records. `unreachable` shows nothing about them. */
export type TxtAnswer =
  | { outcome: 'found'; values: string[] }
  | { outcome: 'none' }
  | { outcome: 'unreachable'; reason: string };

export interface DnsClient {
  /** Resolves within seconds and never throws. */
  resolveTxt(name: string): Promise<TxtAnswer>;
}

const deadlineMs = 5000;
const tryMs = 1500;
const maxValues = 200;
/** Limit per process: tenants choose the names, and their servers may be slow. */
const maxAtOnce = 16;
/** Definite answers: no such name, or no such record. */
const definite = new Set(['ENOTFOUND', 'ENODATA']);

/** Queries these servers, or the system's if there are none. */
export function createDnsClient(servers: readonly string[]): DnsClient {
  let inFlight = 0;
  return {
    resolveTxt: async (name) => {
      if (inFlight >= maxAtOnce) return { outcome: 'unreachable', reason: 'too many queries at once' };
      inFlight += 1;
      const resolver = new Resolver({ timeout: tryMs, tries: 2, maxTimeout: tryMs });
      if (servers.length > 0) resolver.setServers(servers);
      const timer = setTimeout(() => resolver.cancel(), deadlineMs);
      try {
        const records = await resolver.resolveTxt(name);
        return { outcome: 'found', values: records.slice(0, maxValues).map((chunks) => chunks.join('')) };
      } catch (error) {
        const { code = 'unknown' } = error as NodeJS.ErrnoException;
        return definite.has(code) ? { outcome: 'none' } : { outcome: 'unreachable', reason: code };
      } finally {
        inFlight -= 1;
        clearTimeout(timer);
      }
    },
  };
}
