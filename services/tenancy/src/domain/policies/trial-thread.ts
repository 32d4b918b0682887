/** A thread of its own for one policy's text: see `trial.ts`. */
import { parentPort, workerData } from 'node:worker_threads';
import { loadCedar } from './cedar.ts';
import { examine } from './examine.ts';

parentPort?.postMessage(examine(loadCedar(), String(workerData)));
