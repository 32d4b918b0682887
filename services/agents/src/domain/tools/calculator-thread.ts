/** Runs in a thread of its own: an expression can take longer than anybody waits, and is ended with its thread. */
import { parentPort } from 'node:worker_threads';
import { CalculationError, createCalculation } from './calculation.ts';

export type CalculatorMessage = { isReady: true } | { result: string } | { error: string };

const calculate = createCalculation();
const tell = (message: CalculatorMessage) => parentPort?.postMessage(message);

parentPort?.on('message', (expression: string) => {
  try {
    tell({ result: calculate(expression) });
  } catch (error) {
    tell({ error: error instanceof CalculationError ? error.message : 'it cannot be calculated' });
  }
});
// The first calculation compiles much of the library: that is no part of anybody's time.
calculate('sqrt(2) * 5 inch to cm');
tell({ isReady: true });
