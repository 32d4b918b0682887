import { arch, availableParallelism, platform, totalmem } from 'node:os';
import { withPlatform } from '@botyard/shared/db/database';
import { discoverInstances } from '@botyard/shared/system/asking';
import { serviceNames } from '@botyard/shared/system/subjects';
import type { Deps } from '../deps.ts';
import { getServerVersion } from '../store/server.ts';
import { versionsOf } from './inventory.ts';

/** Versions of the build and its platform, as the answering process sees them. @throws HttpError 503. */
export async function summarizeSystem({ bus, database, instance }: Deps) {
  const [instances, postgres] = await Promise.all([
    discoverInstances(bus),
    withPlatform(database, 'version of the server', getServerVersion),
  ]);
  const setting = (name: string) => instance.settings.find((fact) => fact.name === name)?.value;
  return {
    name: 'botyard',
    version: instance.version,
    revision: textOf(setting('BUILD_REVISION')),
    environment: textOf(setting('NODE_ENV')) ?? 'production',
    startedAt: instance.startedAt.toISOString(),
    uptimeMs: Date.now() - instance.startedAt.getTime(),
    runtime: {
      node: process.versions.node,
      v8: process.versions.v8,
      platform: platform(),
      architecture: arch(),
      processors: availableParallelism(),
      memoryBytes: totalmem(),
    },
    postgres,
    nats: bus.serverVersion ?? null,
    versions: Object.fromEntries(
      serviceNames.map((name) => [
        name,
        versionsOf(instances.filter(({ serviceName }) => serviceName === name)),
      ]),
    ),
  };
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
