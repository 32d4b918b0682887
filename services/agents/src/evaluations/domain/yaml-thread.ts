/** Runs in its own thread, which is terminated when a text takes too long. */
import { serveTasks, TaskRefusal } from '@botyard/shared/work/thread-tasks';
import { parse } from 'yaml';

export const tasks = {
  parse: (text: string): unknown => {
    try {
      // Without aliases, a short text can't stand for a long one.
      return parse(text, { maxAliasCount: 0, logLevel: 'error' });
    } catch {
      throw new TaskRefusal('the text is not YAML');
    }
  },
};

serveTasks(tasks);
