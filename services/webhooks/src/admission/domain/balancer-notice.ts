import { isPublicAddress } from '@botyard/shared/http/egress/public-address';
import type { Log } from '@botyard/shared/log/log';

const againAfterMs = 3600_000;
const maxKnown = 100;

/**
 * Warns once an hour that a private address is over the limit. It is usually a load balancer that `TRUSTED_PROXIES`
 * doesn't name. All deliveries then seem to come from it, and the whole installation shares one limit.
 */
export function createBalancerNotice(
  log: Pick<Log, 'warn'>,
  trustedProxies: readonly string[],
  now: () => number = () => performance.now(),
): (address: string) => void {
  const saidAt = new Map<string, number>();
  return (address) => {
    if (isPublicAddress(address)) return;
    const last = saidAt.get(address);
    if (last !== undefined && now() - last < againAfterMs) return;
    if (saidAt.size >= maxKnown) saidAt.clear();
    saidAt.set(address, now());
    log.warn(
      { address, trustedProxies },
      'deliveries of a private address are over the limit: if it is your balancer, add it to TRUSTED_PROXIES',
    );
  };
}
