import { z } from 'zod';
import { StartError } from '../../embedded/start-error.ts';
import { waitUntil } from '../../embedded/wait-until.ts';

/** Generous, because a busy machine with two processors takes minutes to start everything. */
const healthyWithinMs = 300_000;
const askEveryMs = 250;
const Health = z.object({ services: z.record(z.string(), z.unknown()).optional() });

/** Waits until the gateway reports that every service is ready. */
export async function waitForHealth(gatewayUrl: string, isStopping: () => boolean): Promise<void> {
  let last = 'the gateway does not respond';
  const ask = async () => {
    if (isStopping()) return 'stopped' as const;
    try {
      const answer = await fetch(`${gatewayUrl}/api/health`, { signal: AbortSignal.timeout(2000) });
      const body: unknown = await answer.json();
      if (answer.ok) return 'healthy' as const;
      last = JSON.stringify(Health.parse(body).services ?? answer.status);
    } catch {
      // The gateway is not up yet.
    }
    return undefined;
  };
  const state = await waitUntil(ask, { timeoutMs: healthyWithinMs, everyMs: askEveryMs });
  if (state === undefined)
    throw new StartError(`not healthy within ${healthyWithinMs / 1000} s: ${last}; see the logs in DATA_DIR`);
}
