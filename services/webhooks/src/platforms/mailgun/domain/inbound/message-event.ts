import type { MailDocument } from '@botyard/contracts/events/attachments';
import type { DataOf } from '@botyard/contracts/events/definition';
import { messageReceived } from '@botyard/contracts/events/webhooks';
import type { PlatformName } from '@botyard/contracts/http/platform';
import type { Outbox } from '@botyard/shared/bus/outbox';
import { v7 as uuidv7 } from 'uuid';
import type { Delivery } from '../../../../admission/store/admission.ts';
import { conversationIdOf } from '../../../../chats/domain/conversation-id.ts';
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

/** A private chat of another platform, in which a mail is the next message. */
export interface ContinuedChat {
  platform: PlatformName;
  platformChatId: string;
  /** The person's name there. */
  name: string;
}

/**
 * A mail as the next message of its thread's conversation, or of the chat that it continues. If it has no text, its
 * subject is the text.
 */
export function deliveryOf(
  { outbox }: { outbox: Outbox },
  thread: Pick<ThreadRow, 'tenantId' | 'botId' | 'threadId' | 'conversationId' | 'subject' | 'correspondent'>,
  {
    integrationId,
    mail,
    chat,
  }: { integrationId: string; mail: SpokenMail; chat?: ContinuedChat | undefined },
): Delivery {
  const { tenantId, botId } = thread;
  const deliveryId = uuidv7();
  const documents = documentsOf(mail.files);
  const text = mail.text.trim() === '' && documents.length === 0 ? mail.subject : mail.text;
  const isReadable = text.trim() !== '' || documents.some((document) => document.text !== undefined);
  const place = chat ? placeInChat(botId, chat, mail) : placeInThread(thread, mail);
  const data: Omit<DataOf<typeof messageReceived>, 'seq'> = {
    tenantId,
    botId,
    integrationId,
    deliveryId,
    ...place,
    text,
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
    conversationId: place.conversationId,
    eventId: mail.mailId,
    takesPlace: true,
    draft: (seq) => outbox.draft(messageReceived, { seq, ...data }),
  };
}

type Place = Pick<
  DataOf<typeof messageReceived>,
  'conversationId' | 'platform' | 'chat' | 'sender' | 'platformMessageId'
>;

const placeInThread = (
  { threadId, conversationId, subject, correspondent }: Parameters<typeof deliveryOf>[1],
  mail: SpokenMail,
): Place => ({
  conversationId,
  platform: 'email',
  chat: {
    platformChatId: threadId,
    kind: 'private',
    title: cutText(mail.subject || subject || correspondent, maxUnitsOfTitle),
  },
  sender: {
    platformUserId: mail.sender,
    name: cutText(mail.senderName || mail.sender, maxUnitsOfName),
    ...languageOf(mail),
    isProven: mail.senderProof === 'proven',
  },
  platformMessageId: mail.messageId,
});

/** A mail proves who reads the address, not who signed in to the chat. */
const placeInChat = (
  botId: string,
  { platform, platformChatId, name }: ContinuedChat,
  mail: SpokenMail,
): Place => ({
  conversationId: conversationIdOf({ botId, platform }, platformChatId),
  platform,
  chat: { platformChatId, kind: 'private', title: name },
  sender: { platformUserId: platformChatId, name, ...languageOf(mail), isProven: false },
  platformMessageId: mail.mailId,
});

const languageOf = ({ language }: SpokenMail) => (language === null ? {} : { language });

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
