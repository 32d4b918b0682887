/** Runs in a thread of its own: an expression can take longer than anybody waits, and is ended with its thread. */
import { serveTasks, TaskRefusal } from '@botyard/shared/work/thread-tasks';
import { CalculationError, createCalculation } from './calculation.ts';

const calculate = createCalculation();

export const tasks = {
  calculate: (expression: string): string => {
    try {
      return calculate(expression);
    } catch (error) {
      throw new TaskRefusal(error instanceof CalculationError ? error.message : 'it cannot be calculated');
    }
  },
};

// The first calculation compiles much of the library: that is no part of anybody's time.
calculate('sqrt(2) * 5 inch to cm');
serveTasks(tasks);
