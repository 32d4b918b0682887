import { type StallMonitor, stateOf } from '@botyard/shared/service/stalls';
import type { Probe } from '../clients/service-readiness.ts';

/** The body of `GET /api/health` (REQ-HTTP-4); `services` has `ok` or a short reason for each. */
export interface SystemHealth {
  status: 'ok' | 'starting' | 'degraded';
  services: Readonly<Record<string, string>>;
}

const rememberedMs = 250;

/**
 * Checks every service, one round at a time for all callers, and caches the result for 250 ms. The state is `starting`
 * until all have been ready once. The gateway itself is listed while it isn't ready.
 */
export function createSystemHealth(
  probes: Readonly<Record<string, Probe>>,
  stalls: StallMonitor,
): () => Promise<SystemHealth> {
  let wasOk = false;
  let running: Promise<SystemHealth> | undefined;
  let last: { at: number; health: SystemHealth } | undefined;

  const ask = async (): Promise<SystemHealth> => {
    const readiness = Object.entries(probes).map(async ([name, probe]) => [name, await probe()] as const);
    const own = stateOf(stalls);
    const services = {
      ...(own === 'ok' ? {} : { gateway: own }),
      ...Object.fromEntries(await Promise.all(readiness)),
    };
    const isOk = Object.values(services).every((state) => state === 'ok');
    wasOk ||= isOk;
    const health: SystemHealth = { status: isOk ? 'ok' : wasOk ? 'degraded' : 'starting', services };
    last = { at: performance.now(), health };
    return health;
  };
  return async () => {
    if (last && performance.now() - last.at < rememberedMs) return last.health;
    running ??= ask().finally(() => {
      running = undefined;
    });
    return running;
  };
}
