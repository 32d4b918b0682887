import type { OwnBot } from './domain/connection.ts';
import { formatReply } from './domain/format-reply.ts';
import { readUpdateBytes } from './domain/read-update.ts';

export const tasks = {
  readUpdate: ({ bytes, bot }: { bytes: Uint8Array; bot: OwnBot }) => readUpdateBytes(bytes, bot),
  formatReply: (markdown: string) => formatReply(markdown),
};
