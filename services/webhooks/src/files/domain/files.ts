import type { Bus } from '@botyard/shared/bus/bus';
import { createObjects } from '@botyard/shared/files/objects/settings';
import type { Log } from '@botyard/shared/log/log';
import type { Worker } from '@botyard/shared/work/worker';
import type { WebhooksConfig } from '../../config.ts';
import type { Deps } from '../deps.ts';
import { type HtmlReader, TextExtraction } from './extract-texts.ts';
import { createAttachmentExpiry, createAttachmentRemoval, createObjectSweep } from './removal.ts';
import { createSpool, createSpoolKeeper } from './spool-keeper.ts';

/** Everything that files of mails and of chats need. */
export const createFileDeps = (
  config: WebhooksConfig,
  { bus, texts, log }: { bus: Bus; texts: HtmlReader; log: Log },
): Pick<Deps, 'objects' | 'spool' | 'textExtraction' | 'mailStorageBytes' | 'mailRetentionDays'> => ({
  objects: createObjects(config, bus),
  spool: createSpool(config),
  mailStorageBytes: config.TENANT_MAIL_BYTES,
  mailRetentionDays: config.MAIL_RETENTION_DAYS,
  textExtraction: new TextExtraction({ texts, log }),
});

/** Background workers for files. */
export const createFileWorkers = (deps: Deps): Worker[] => [
  createSpoolKeeper(deps),
  createAttachmentRemoval(deps),
  ...(deps.mailRetentionDays === null
    ? []
    : [createAttachmentExpiry(deps, { days: deps.mailRetentionDays })]),
  createObjectSweep(deps),
];
