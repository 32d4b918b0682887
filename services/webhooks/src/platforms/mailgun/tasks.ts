import { textOfHtml } from './domain/inbound/read/html/html-text.ts';
import { readPosted } from './domain/inbound/read/read-mail.ts';
import { formatMail } from './domain/outbound/format/format-mail.ts';

export const tasks = {
  readPosted,
  textOfHtml: (bytes: Uint8Array) => textOfHtml(new TextDecoder().decode(bytes)),
  formatMail: (markdown: string) => formatMail(markdown),
};
