/** Runs in its own thread, which is terminated when an expression takes too long. */
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

// The first calculation compiles much of the library, so it happens here, outside the time limit of a task.
calculate('sqrt(2) * 5 inch to cm');
serveTasks(tasks);
