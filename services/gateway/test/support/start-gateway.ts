import type { Identity } from '@botyard/contracts/identity';
import { createIdentityVerifier, generateIdentityKeys, identityHeader } from '@botyard/shared/auth/identity';
import { readConfig } from '@botyard/shared/config/config';
import { createLog } from '@botyard/shared/log/log';
import { createMetrics } from '@botyard/shared/service/metrics';
import { StallMonitor } from '@botyard/shared/service/stalls';
import { Instance } from '@botyard/shared/system/instance';
import { Problems } from '@botyard/shared/system/problems';
import { createApp, type GatewayOptions } from '../../src/app.ts';
import { gatewayConfig } from '../../src/config.ts';
import { type UpstreamName, upstreamNames } from '../../src/domain/routing-table.ts';
import { FakeService, type ReceivedRequest } from './fake-service.ts';

export interface RunningGateway {
  url: string;
  port: number;
  services: Record<UpstreamName, FakeService>;
  /** The requests that have reached any service so far. */
  arrivals(): ReceivedRequest[];
  /** The identity that an arrival carries, verified as the service does it. */
  identityOf(arrival: ReceivedRequest, audience: UpstreamName): Promise<Identity | null>;
  /** The gateway's metrics, as a scrape reads them. */
  metrics(): Promise<string>;
  /** Stops the gateway alone. */
  stopApp(): Promise<void>;
  stop(): Promise<void>;
}

export const signingKeys = await generateIdentityKeys();

export const settings = (extra: Record<string, string> = {}): Record<string, string> => ({
  NODE_ENV: 'test',
  LOG_LEVEL: 'silent',
  PORT: '0',
  IDENTITY_SIGNING_KEY: signingKeys.signingKey,
  ...Object.fromEntries(upstreamNames.map((name) => [`${name.toUpperCase()}_URL`, 'http://127.0.0.1:9'])),
  ...extra,
});

/** A gateway with all five services behind it, on free ports. */
export async function startGateway(
  env: Record<string, string> = {},
  options: GatewayOptions = {},
): Promise<RunningGateway> {
  const services = Object.fromEntries(
    await Promise.all(upstreamNames.map(async (name) => [name, await new FakeService().start()] as const)),
  ) as Record<UpstreamName, FakeService>;
  const urls = Object.fromEntries(
    upstreamNames.map((name) => [`${name.toUpperCase()}_URL`, services[name].url]),
  );
  const config = readConfig(gatewayConfig, settings({ ...urls, ...env }));
  const log = createLog('gateway', 'silent');
  const runtime = {
    log,
    metrics: createMetrics('gateway'),
    instance: new Instance('gateway'),
    stalls: new StallMonitor({ log }),
    problems: new Problems({ log }),
  };
  const app = await createApp(config, runtime, options);
  await app.start();
  const port = app.publicPort();
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    services,
    arrivals: () => Object.values(services).flatMap((service) => service.arrivals),
    identityOf: async (arrival, audience) => {
      const verify = await createIdentityVerifier(signingKeys.verifyKey, audience);
      return verify(arrival.headers[identityHeader] as string | undefined);
    },
    metrics: () => runtime.metrics.registry.metrics(),
    stopApp: () => app.stop(),
    stop: async () => {
      await app.stop();
      await Promise.all(Object.values(services).map((service) => service.stop()));
    },
  };
}
