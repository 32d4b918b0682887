import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPeriodic } from '@botyard/shared/work/periodic';
import type { Worker } from '@botyard/shared/work/worker';
import type { WebhooksConfig } from '../../config.ts';
import type { Deps } from '../deps.ts';
import { Spool } from './spool.ts';

const checkEveryMs = 2000;

export const createSpool = ({ MAIL_SPOOL_DIR, DATA_DIR }: WebhooksConfig): Spool =>
  new Spool(
    MAIL_SPOOL_DIR ?? (DATA_DIR ? join(DATA_DIR, 'mail-spool') : join(tmpdir(), 'botyard-mail-spool')),
  );

/**
 * Empties the spool when the process starts and ends, and checks every 2 s whether it accepts files. A folder that
 * doesn't is reported in readiness: without it mails with files are postponed.
 */
export function createSpoolKeeper({ spool, log, stalls }: Pick<Deps, 'spool' | 'log' | 'stalls'>): Worker {
  const check = async () => {
    try {
      await spool.check();
      stalls.recovered('files of mails');
    } catch (error) {
      const { code = 'no reason' } = error as NodeJS.ErrnoException;
      stalls.failed('files of mails', {
        reason: `${spool.directory} can't be written to (${code})`,
        remedy: 'MAIL_SPOOL_DIR must name a folder that the service may write to, with room on its disk.',
        error,
      });
    }
  };
  const periodic = createPeriodic({ name: 'spool check', everyMs: checkEveryMs, work: check, log });
  return {
    start: () => {
      void check();
      periodic.start();
    },
    stop: async () => {
      await periodic.stop();
      await spool.close();
    },
  };
}
