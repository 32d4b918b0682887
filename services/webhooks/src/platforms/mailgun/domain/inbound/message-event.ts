import type { MailDocument } from '@botyard/contracts/events/attachments';
import type { DataOf } from '@botyard/contracts/events/definition';
import { messageReceived } from '@botyard/contracts/events/webhooks';
import type { Outbox } from '@botyard/shared/bus/outbox';
import { v7 as uuidv7 } from 'uuid';
import type { Delivery } from '../../../../admission/store/admission.ts';
import { cutTexts, type ReadText } from '../../../../files/domain/extract-texts.ts';
import type { KeptFile } from '../../../../files/domain/keep-files.ts';
import { cutText } from '../../../../text/domain/clean-text.ts';
import type { MailRow } from '../../store/mail-list.ts';
import type { ThreadRow } from '../../store/threads.ts';

export interface SpokenMail {
  mailId: string;
  messageId: string;
  sender: string;
  senderName: string;
  senderProof: MailRow['senderProof'];
  language: string | null;
  subject: string;
  text: string;
  sentAt: string;
  /** How it was recognized that no person wrote it. */
  automaticReason?: string;
  /** The time at which it becomes a message, as stored with the mail. */
  admittedAt: Date;
  files: readonly Pick<KeptFile, 'name' | 'mediaType' | 'sizeBytes' | 'isInline' | keyof ReadText>[];
}

const maxUnitsOfTitle = 300;
const maxUnitsOfName = 200;

/** A mail as the next message of its thread's conversation. If it has no text, its subject is the text. */
export function deliveryOf(
  { outbox }: { outbox: Outbox },
  thread: Pick<ThreadRow, 'tenantId' | 'botId' | 'threadId' | 'conversationId' | 'subject' | 'correspondent'>,
  integrationId: string,
  mail: SpokenMail,
): Delivery {
  const { tenantId, botId, threadId, conversationId } = thread;
  const deliveryId = uuidv7();
  const documents = documentsOf(mail.files);
  const text = mail.text.trim() === '' && documents.length === 0 ? mail.subject : mail.text;
  const isReadable = text.trim() !== '' || documents.some((document) => document.text !== undefined);
  const title = cutText(mail.subject || thread.subject || thread.correspondent, maxUnitsOfTitle);
  const data: Omit<DataOf<typeof messageReceived>, 'seq'> = {
    tenantId,
    botId,
    integrationId,
    deliveryId,
    conversationId,
    platform: 'email',
    text,
    chat: { platformChatId: threadId, kind: 'private', title },
    sender: {
      platformUserId: mail.sender,
      name: cutText(mail.senderName || mail.sender, maxUnitsOfName),
      ...(mail.language === null ? {} : { language: mail.language }),
      isProven: mail.senderProof === 'proven',
    },
    platformMessageId: mail.messageId,
    ...(mail.automaticReason === undefined ? {} : { automaticReason: mail.automaticReason }),
    content: isReadable ? 'text' : 'unsupported',
    ...(isReadable ? {} : { attachment: attachmentOf(documents) }),
    mail: { subject: mail.subject, documents },
    sentAt: mail.sentAt,
    receivedAt: mail.admittedAt.toISOString(),
  };
  return {
    tenantId,
    source: 'email',
    botId,
    deliveryId,
    conversationId,
    eventId: mail.mailId,
    takesPlace: true,
    draft: (seq) => outbox.draft(messageReceived, { seq, ...data }),
  };
}

/** Without pictures that the HTML shows: they are decoration. */
const documentsOf = (files: SpokenMail['files']): MailDocument[] =>
  cutTexts(files)
    .filter(({ isInline, mediaType }) => !isInline || !mediaType.startsWith('image/'))
    .map(({ name, mediaType, sizeBytes, extractedText, textMissing }) => ({
      name,
      mediaType,
      sizeBytes,
      ...(extractedText === null ? {} : { text: extractedText }),
      ...(textMissing === null || textMissing === 'waiting' ? {} : { textMissing }),
    }));

const attachmentOf = ([first]: readonly MailDocument[]) => ({
  kind: 'document',
  ...(first ? { name: first.name, mimeType: first.mediaType, sizeBytes: first.sizeBytes } : {}),
});
