import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServiceName } from '@botyard/contracts/http/contract';
import { Bus } from '@botyard/shared/bus/bus';
import { answerConsumerRequests } from '@botyard/shared/bus/durable';
import { natsPermissions } from '@botyard/shared/bus/permissions';
import { ensureStream } from '@botyard/shared/bus/streams';
import { createLog } from '@botyard/shared/log/log';
import { patienceMs } from '@botyard/testing/eventually';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { startNatsServer } from '../../../tools/embedded/nats-server.ts';
import { services } from '../../support/sources.ts';

const namespace = 'contracts';
const password = 'contracts';
const everything = ['>'];

/** A real server that holds every service to its permissions, and the service's connections to it. */
export interface BusServer {
  /** Settings with which a service's process connects here with its own login. */
  envOf(service: ServiceName): Record<string, string>;
  /** As the service itself would be connected. */
  busAs(service: ServiceName): Bus;
  /** A connection that receives everything and that no service knows. */
  observer: NatsConnection;
  close(): Promise<void>;
}

export async function openBusServer(): Promise<BusServer> {
  const storeDir = await mkdtemp(join(tmpdir(), 'botyard-contracts-'));
  const users = [
    { user: 'observer', password, publish: everything, subscribe: everything },
    ...services.map((user) => ({ user, password, ...natsPermissions(namespace, user) })),
  ];
  const nats = await startNatsServer({ storeDir, users, log: () => undefined });
  const observer = await connect({ servers: nats.url, user: 'observer', pass: password });
  const buses = await Promise.all(
    services.map(async (service) => {
      const log = createLog('test', 'silent');
      const address = { url: nats.url, user: service, password };
      const bus = new Bus({ ...address, service, namespace, log, callTimeoutMs: patienceMs });
      await bus.connect();
      if (service !== 'gateway') {
        await ensureStream(bus);
        answerConsumerRequests(bus);
      }
      return [service, bus] as const;
    }),
  );
  const byName = new Map<string, Bus>(buses);
  return {
    observer,
    envOf: (service) => ({
      NATS_URL: nats.url,
      NATS_NAMESPACE: namespace,
      NATS_USER: service,
      NATS_PASSWORD: password,
    }),
    busAs: (service) => byName.get(service)!,
    close: async () => {
      await Promise.all([observer.close(), ...buses.map(([, bus]) => bus.close())]);
      await nats.stop();
      await rm(storeDir, { recursive: true, force: true });
    },
  };
}
