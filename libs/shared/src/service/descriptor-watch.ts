import { open } from 'node:fs/promises';
import { devNull } from 'node:os';
import type { Log } from '../log/log.ts';
import { createPeriodic } from '../work/periodic.ts';
import type { Worker } from '../work/worker.ts';
import type { StallMonitor } from './stalls.ts';

const lookEveryMs = 2000;
const part = 'file descriptors';
const reasons: Readonly<Record<string, string>> = {
  EMFILE: 'the process can open no file and no connection: its limit of open files is reached',
  ENFILE: "no file and no connection can be opened: the machine's limit of open files is reached",
};

/** Opens a file every 2 s. Open connections keep working without a free descriptor, so nothing else may reveal it. */
export function watchDescriptors({
  stalls,
  log,
  openFile = () => open(devNull),
}: {
  stalls: StallMonitor;
  log: Log;
  openFile?: () => Promise<{ close(): Promise<void> }>;
}): Worker {
  const look = async () => {
    try {
      const file = await openFile();
      await file.close();
      stalls.recovered(part);
    } catch (error) {
      const reason = reasons[String((error as NodeJS.ErrnoException).code)];
      if (reason === undefined) return;
      const remedy = `Raise the limit (ulimit -n), and look in /proc/${process.pid}/fd for what is open.`;
      stalls.failed(part, { reason, remedy, error });
    }
  };
  return createPeriodic({ name: 'watch the file descriptors', everyMs: lookEveryMs, work: look, log });
}
