/** The thread of `TextWorker`. */
import { serveTasks } from '@botyard/shared/work/thread-tasks';
import { textOfHtml } from '../../platforms/mailgun/domain/inbound/read/html/html-text.ts';
import { readPosted } from '../../platforms/mailgun/domain/inbound/read/read-mail.ts';
import { formatMail } from '../../platforms/mailgun/domain/outbound/format/format-mail.ts';
import type { OwnBot } from '../../platforms/telegram/domain/connection.ts';
import { formatReply } from '../../platforms/telegram/domain/format-reply.ts';
import { readUpdateBytes } from '../../platforms/telegram/domain/read-update.ts';

export const tasks = {
  readPosted,
  readUpdate: ({ bytes, bot }: { bytes: Uint8Array; bot: OwnBot }) => readUpdateBytes(bytes, bot),
  textOfHtml: (bytes: Uint8Array) => textOfHtml(new TextDecoder().decode(bytes)),
  formatReply: (markdown: string) => formatReply(markdown),
  formatMail,
};

serveTasks(tasks);
