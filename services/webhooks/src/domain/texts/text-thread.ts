/** The thread of `TextWorker`. */
import { serveTasks } from '@botyard/shared/work/thread-tasks';
import { textOfHtml } from '../email/inbound/read/html-text.ts';
import { readPosted } from '../email/inbound/read/read-mail.ts';
import { formatMail } from '../email/outbound/format/format-mail.ts';
import { formatReply } from '../messenger/format/format-reply.ts';
import { type OwnBot, readUpdateBytes } from '../messenger/read-update.ts';

export const tasks = {
  readPosted,
  readUpdate: ({ bytes, bot }: { bytes: Uint8Array; bot: OwnBot }) => readUpdateBytes(bytes, bot),
  textOfHtml: (bytes: Uint8Array) => textOfHtml(new TextDecoder().decode(bytes)),
  formatReply: (markdown: string) => formatReply(markdown),
  formatMail,
};

serveTasks(tasks);
