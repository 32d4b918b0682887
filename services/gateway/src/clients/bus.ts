import { Bus } from '@botyard/shared/bus/bus';
import type { BaseConfig } from '@botyard/shared/config/config';
import type { RuntimeContext } from '@botyard/shared/service/run-service';
import { answerSystem } from '@botyard/shared/system/answering';

type BusSettings = Pick<BaseConfig, 'NATS_NAMESPACE' | 'NATS_USER' | 'NATS_PASSWORD' | 'NATS_CA_FILE'> & {
  NATS_URL?: string | undefined;
};

/**
 * Used for the inventory, and notices that processes ended; requests never need it. `undefined` if `NATS_URL` isn't
 * set.
 */
export function createBus(settings: BusSettings, { log, instance }: RuntimeContext): Bus | undefined {
  const { NATS_URL: url, NATS_NAMESPACE: namespace } = settings;
  const { NATS_USER: user, NATS_PASSWORD: password, NATS_CA_FILE: caFile } = settings;
  if (!url) return undefined;
  const bus = new Bus({ service: 'gateway', url, namespace, user, password, caFile, log });
  instance.usesBus(bus);
  return bus;
}

/** Connects in the background, however long it takes. */
export async function connectBus(parts: RuntimeContext & { bus: Bus }): Promise<void> {
  try {
    if (await parts.bus.connect()) answerSystem(parts);
  } catch (error) {
    parts.log.error({ err: error }, 'the bus could not be set up');
  }
}
