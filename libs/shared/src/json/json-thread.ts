import { serveTasks } from '../work/thread-tasks.ts';
import type { JsonBounds } from './json-bounds.ts';
import { JsonError, type JsonFault, parseForeignJson } from './parse-json.ts';

type Parsed = { value: unknown } | { fault: JsonFault };

const tasks = {
  parse: ({ bytes, bounds }: { bytes: Uint8Array; bounds: JsonBounds }): Parsed => {
    try {
      return { value: parseForeignJson(bytes, bounds) };
    } catch (error) {
      if (error instanceof JsonError) return { fault: error.fault };
      throw error;
    }
  },
};
export type JsonTasks = typeof tasks;

serveTasks(tasks);
