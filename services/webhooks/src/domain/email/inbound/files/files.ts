import type { Bus } from '@botyard/shared/bus/bus';
import { createObjects } from '@botyard/shared/files/objects/settings';
import type { Worker } from '@botyard/shared/service/foundation';
import type { WebhooksConfig } from '../../../../config.ts';
import type { Deps } from '../../../../deps.ts';
import { TextExtraction } from './extract-texts.ts';
import { createAttachmentRemoval, createObjectSweep } from './removal.ts';
import { createSpool, createSpoolKeeper } from './spool-keeper.ts';

/** All that files of mails need. */
export const createFileDeps = (
  config: WebhooksConfig,
  bus: Bus,
): Pick<Deps, 'objects' | 'spool' | 'textExtraction'> => ({
  objects: createObjects(config, bus),
  spool: createSpool(config),
  textExtraction: new TextExtraction(),
});

/** What takes care of them while nobody sends any. */
export const createFileWorkers = (deps: Deps): Worker[] => [
  createSpoolKeeper(deps),
  createAttachmentRemoval(deps),
  createObjectSweep(deps),
];
