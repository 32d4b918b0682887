import { toPlainText } from '../text/domain/markdown/plain-text.ts';
import { tasks as mailgun } from './mailgun/tasks.ts';
import { tasks as telegram } from './telegram/tasks.ts';
import { tasks as whatsapp } from './whatsapp/tasks.ts';

/**
 * The functions of the text thread, which loads only these. An adapter lists its own in `tasks.ts`, with names that no
 * other has.
 */
export const textTasks = { toPlainText, ...telegram, ...mailgun, ...whatsapp };

export type TextTasks = typeof textTasks;
export type TextTaskName = keyof TextTasks;
