/** A thread of its own for one policy's text: see `trial.ts`. */
import { parentPort, workerData } from 'node:worker_threads';
import { loadCedar } from './cedar.ts';
import { examine, type Findings } from './examine.ts';

export type TrialMessage = { isReady: true } | { findings: Findings };

const { text, others } = workerData as { text: string; others: string[] };
const tell = (message: TrialMessage) => parentPort?.postMessage(message);
const cedar = loadCedar();
tell({ isReady: true });
tell({ findings: examine(cedar, text, others) });
