import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from '@botyard/shared/service/foundation';
import type { WebhooksConfig } from '../../../../config.ts';
import type { Deps } from '../../../../deps.ts';
import { Spool } from './spool.ts';

export const createSpool = ({ MAIL_SPOOL_DIR, DATA_DIR }: WebhooksConfig): Spool =>
  new Spool(
    MAIL_SPOOL_DIR ?? (DATA_DIR ? join(DATA_DIR, 'mail-spool') : join(tmpdir(), 'botyard-mail-spool')),
  );

/** Empties the spool when the process starts and when it ends. Without it there is no mail with files, and all else goes on. */
export const createSpoolKeeper = ({ spool, log }: Pick<Deps, 'spool' | 'log'>): Worker => ({
  start: () => {
    spool
      .prepare()
      .catch((error: unknown) => log.error({ err: error }, 'files of mails can not be taken in'));
  },
  stop: () => spool.close(),
});
