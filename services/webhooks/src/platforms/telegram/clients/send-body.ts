import type { FileToPost } from '../../clients/file-form.ts';

/** A button under a message. The platform sends its data back, of at most 64 bytes. */
export interface Button {
  text: string;
  callback_data: string;
}

export interface SendMessage {
  platformChatId: string;
  threadId: string | null;
  text: string;
  isHtml: boolean;
  /** Rows of buttons under the message. */
  buttons?: readonly (readonly Button[])[];
  /** The person who alone sees the message in a group, and the message of theirs that it answers. */
  receiver?: { userId: string; answeredId: string | undefined } | undefined;
}

export interface SendFile extends Omit<SendMessage, 'text' | 'isHtml' | 'buttons'> {
  /** Shown as a picture; otherwise as a file. */
  isPhoto: boolean;
  file: FileToPost;
}

export const chatOf = (platformChatId: string, threadId: string | null | undefined) => ({
  chat_id: Number(platformChatId),
  ...(threadId ? { message_thread_id: Number(threadId) } : {}),
});

export const sendBody = ({ text, isHtml, buttons = [], ...place }: SendMessage) => ({
  text,
  ...(buttons.length === 0 ? {} : { reply_markup: { inline_keyboard: buttons } }),
  ...(isHtml ? { parse_mode: 'HTML' } : {}),
  link_preview_options: { is_disabled: true },
  ...placeOf(place),
});

export const placeOf = ({
  platformChatId,
  threadId,
  receiver,
}: Omit<SendMessage, 'text' | 'isHtml' | 'buttons'>) => ({
  ...chatOf(platformChatId, threadId),
  ...(receiver ? receiverFields(receiver) : {}),
});

/** In a form, objects are JSON. */
export const fieldsOf = (fields: object) =>
  Object.entries(fields).map(([name, value]) => [name, JSON.stringify(value)] as const);

/** Bot API 10.2 knows the receiver as a field of the message, and 10.3 as an object: neither may show it to others. */
const receiverFields = ({ userId, answeredId }: NonNullable<SendMessage['receiver']>) => ({
  receiver_user_id: Number(userId),
  ephemeral_message_parameters: { receiver_user_id: Number(userId) },
  ...(answeredId === undefined ? {} : { reply_parameters: { ephemeral_message_id: Number(answeredId) } }),
});
