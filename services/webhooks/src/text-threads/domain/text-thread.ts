/** The thread of `TextWorker`. */
import { serveTasks } from '@botyard/shared/work/thread-tasks';
import { textTasks } from '../../platforms/tasks.ts';

serveTasks(textTasks);
