import type { Bus } from '@botyard/shared/bus/bus';
import { createNatsObjects } from '@botyard/shared/files/objects/nats-objects';
import type { ObjectStore } from '@botyard/shared/files/objects/object-store';
import { createS3Objects } from '@botyard/shared/files/objects/s3-objects';
import type { WebhooksConfig } from '../../../../config.ts';

const megabyte = 1024 * 1024;

/** Where the operator wants files to lie. @throws Error for an address without keys. */
export function createObjects(config: WebhooksConfig, bus: Bus): ObjectStore {
  const { OBJECT_STORE_URL: url, OBJECT_STORE_REGION: region } = config;
  if (url === undefined)
    return createNatsObjects(bus, { mostBytes: config.OBJECT_STORE_MAX_MEGABYTES * megabyte });
  const { OBJECT_STORE_ACCESS_KEY_ID: accessKeyId, OBJECT_STORE_SECRET_ACCESS_KEY: secretAccessKey } = config;
  if (!accessKeyId || !secretAccessKey)
    throw new Error('OBJECT_STORE_URL: needs OBJECT_STORE_ACCESS_KEY_ID and OBJECT_STORE_SECRET_ACCESS_KEY');
  return createS3Objects({ url, region, accessKeyId, secretAccessKey });
}
