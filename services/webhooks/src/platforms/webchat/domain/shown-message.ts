import type { ShownFile } from '../../../store/webchat-schema.ts';
import type { StoredMessage } from '../store/messages.ts';

/** A message as windows get it. */
export interface ShownMessage {
  id: string;
  /** Its place in the window. */
  position: number;
  /** The number of its newest change, by which a window catches up. */
  seq: number;
  author: 'visitor' | 'bot' | 'staff' | 'notice';
  text: string;
  /** Texts that the visitor can choose from, until they write something. */
  choices?: readonly string[];
  clientId?: string;
  file?: ShownFile;
  /** The visitor can rate the answer that ends here. */
  isRateable?: true;
  rating?: 'up' | 'down';
  at: string;
  isDeleted?: true;
}

export const toShown = (message: StoredMessage): ShownMessage => ({
  id: message.messageId,
  position: message.position,
  seq: message.seq,
  author: message.author,
  text: message.text,
  ...(message.choices === null ? {} : { choices: message.choices }),
  ...(message.clientId === null ? {} : { clientId: message.clientId }),
  ...(message.file === null ? {} : { file: toShownFile(message.file) }),
  ...(message.isRateable ? { isRateable: true as const } : {}),
  ...(message.rating === null ? {} : { rating: message.rating }),
  at: message.createdAt.toISOString(),
  ...(message.deletedAt === null ? {} : { isDeleted: true as const }),
});

const toShownFile = ({ kind, name, sizeBytes }: ShownFile): ShownFile => ({ kind, name, sizeBytes });
