import { z } from 'zod';
import type { Bus } from '../../bus/bus.ts';
import { httpAddress } from '../../config/config.ts';
import { shown } from '../../config/shown.ts';
import { secretSetting } from '../../secrets/settings.ts';
import { createNatsObjects } from './nats-objects.ts';
import type { ObjectStore } from './object-store.ts';
import { createS3Objects } from './s3-objects.ts';
import { watchedObjects } from './watched-objects.ts';

/** Location of a service's files; the same for all services of an installation. */
export const objectStoreSettings = {
  /** A store that speaks S3, with the bucket in the path. If unset, the bus's own object store is used. */
  OBJECT_STORE_URL: httpAddress.optional(),
  OBJECT_STORE_REGION: shown(z.string().min(1).default('us-east-1')),
  OBJECT_STORE_ACCESS_KEY_ID: z.string().optional(),
  OBJECT_STORE_SECRET_ACCESS_KEY: secretSetting.optional(),
  /** Applies to the bus's own object store. */
  OBJECT_STORE_MAX_MEGABYTES: z.coerce.number().int().min(1).default(4096),
};

const settings = z.object(objectStoreSettings);
const megabyte = 1024 * 1024;

/** The configured store, wrapped so that its failures are reported. @throws Error for an address without keys. */
export function createObjects(config: z.output<typeof settings>, bus: Bus): ObjectStore {
  return watchedObjects(chosenObjects(config, bus), bus);
}

function chosenObjects(config: z.output<typeof settings>, bus: Bus): ObjectStore {
  const { OBJECT_STORE_URL: url, OBJECT_STORE_REGION: region } = config;
  if (url === undefined)
    return createNatsObjects(bus, { maxBytes: config.OBJECT_STORE_MAX_MEGABYTES * megabyte });
  const { OBJECT_STORE_ACCESS_KEY_ID: accessKeyId, OBJECT_STORE_SECRET_ACCESS_KEY: secretAccessKey } = config;
  if (!accessKeyId || !secretAccessKey)
    throw new Error('OBJECT_STORE_URL: needs OBJECT_STORE_ACCESS_KEY_ID and OBJECT_STORE_SECRET_ACCESS_KEY');
  return createS3Objects({ url, region, accessKeyId, secretAccessKey });
}
