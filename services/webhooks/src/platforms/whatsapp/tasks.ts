import { formatReply } from './domain/format-reply.ts';
import { readNotification } from './domain/read-notification.ts';

/** The functions of the text thread. */
export const tasks = {
  readNotification: (bytes: Uint8Array) => readNotification(bytes),
  formatWhatsApp: (markdown: string) => formatReply(markdown),
};
