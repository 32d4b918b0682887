import { discoverInstances } from '@botyard/shared/system/asking';
import type { DiscoveredInstance } from '@botyard/shared/system/questions';
import { serviceNames } from '@botyard/shared/system/subjects';
import type { Deps } from '../deps.ts';

/** Every service with its processes. A service without an answer is marked as missing. @throws HttpError 503. */
export async function listServices({ bus }: Pick<Deps, 'bus'>) {
  const instances = await discoverInstances(bus);
  const nowMs = Date.now();
  return serviceNames.map((serviceName) => {
    const own = instances.filter((instance) => instance.serviceName === serviceName);
    return {
      serviceName,
      state: stateOf(own),
      versions: versionsOf(own),
      instances: own.map(({ serviceName: _service, startedAt, ...instance }) => ({
        ...instance,
        startedAt: startedAt.toISOString(),
        uptimeMs: Math.max(0, nowMs - startedAt.getTime()),
      })),
    };
  });
}

/** The running versions, without duplicates. */
export const versionsOf = (instances: readonly DiscoveredInstance[]): string[] =>
  [...new Set(instances.map(({ version }) => version))].sort();

function stateOf(instances: readonly DiscoveredInstance[]): 'ready' | 'degraded' | 'missing' {
  if (instances.length === 0) return 'missing';
  return instances.every(({ state }) => state === 'ready') ? 'ready' : 'degraded';
}
