import { Cleanup } from '../../rig/cleanup.ts';
import { type PartName, readOptions } from '../options.ts';
import type { PartResult } from '../part.ts';
import { parts } from '../parts.ts';
import { Progress } from '../progress.ts';
import { printReport } from '../report.ts';

/** Fixed, so that every run draws the same and findings are reproducible. */
const seed = 20_261_121;

/** A part at the size of a test, with its results printed. On a busy machine it ends after a minute, with less. */
export async function runPart(name: PartName, size: readonly string[]): Promise<PartResult> {
  const cleanup = new Cleanup();
  const options = readOptions([name, '--seed', String(seed), '--minutes', '1', ...size]);
  const progress = new Progress(name, { minutes: 1, write: () => {} });
  try {
    const result = await parts[name]({ options, cleanup, progress });
    process.stdout.write(`${printReport(new Map([[name, result]]))}\n`);
    return result;
  } finally {
    await cleanup.run();
  }
}
