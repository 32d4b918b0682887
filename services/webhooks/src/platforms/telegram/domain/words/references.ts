import { inRemark, remark } from '../../../../text/domain/remarks.ts';
import { type Fields, numberOf, record, records, textOf } from '../../../domain/fields.ts';
import { contentWords, nameOfChat } from './content-words.ts';
import { eventFields, wordFields } from './message-fields.ts';

/** Files as they are named in a remark, in the order in which they are looked for. */
const fileNouns: Readonly<Record<string, string>> = {
  animation: 'an animation',
  live_photo: 'a photo',
  photo: 'a photo',
  video_note: 'a video message',
  video: 'a video',
  voice: 'a voice message',
  audio: 'an audio file',
  sticker: 'a sticker',
  document: 'a file',
  paid_media: 'paid media',
  story: 'a story',
};

const isThere = (value: unknown): boolean => value !== undefined && value !== null;

/** The words of a message's content that is no text, if it has such content. */
export function wordsOfContent(message: Fields): string | undefined {
  for (const field of wordFields) {
    const content = record(message[field]);
    const words = content && contentWords[field]?.(content);
    if (words !== undefined) return words;
  }
  return undefined;
}

/** Where a forwarded message comes from. */
function forwardedFrom(origin: unknown): string | undefined {
  const {
    sender_user: user,
    sender_user_name: name,
    sender_chat: group,
    chat,
    author_signature: by,
  } = record(origin) ?? {};
  if (record(origin) === undefined) return undefined;
  const author = nameOfChat(user) || textOf(name) || nameOfChat(group) || nameOfChat(chat);
  const names = [author, textOf(by)].map((one) => inRemark(one)).filter((one) => one !== '');
  return names.length === 0 ? '[forwarded]' : `[forwarded from ${names.join(', ')}]`;
}

/** The target of a reply, if that has no words of its own: those are its quotation. */
function inReplyTo(target: Fields): string | undefined {
  const file = Object.keys(fileNouns).find((field) => isThere(target[field]));
  if (file !== undefined)
    return remark(`in reply to ${fileNouns[file]}`, textOf(record(target[file])?.file_name));
  return eventFields.some((field) => isThere(target[field]))
    ? '[in reply to an event of the chat]'
    : undefined;
}

/** The task of a checklist or the option of a poll that a message is about. */
function partOfTarget(message: Fields, target: Fields): string | undefined {
  const taskId = numberOf(message.reply_to_checklist_task_id);
  const task = records(record(target.checklist)?.tasks).find(
    ({ id }) => taskId !== undefined && id === taskId,
  );
  if (task) return remark('about the task', textOf(task.text));
  const optionId = textOf(message.reply_to_poll_option_id);
  const option = records(record(target.poll)?.options).find(
    ({ persistent_id: id }) => optionId !== '' && id === optionId,
  );
  return option && remark('about the option', textOf(option.text));
}

/** Remarks about where a message comes from and what it refers to, one a line. */
export function referencesOf(message: Fields, { opensTopic }: { opensTopic: boolean }): string[] {
  const target = opensTopic
    ? undefined
    : (record(message.reply_to_message) ?? record(message.external_reply));
  return [
    forwardedFrom(message.forward_origin),
    isThere(message.reply_to_story) ? '[in reply to a story]' : undefined,
    target && inReplyTo(target),
    target && partOfTarget(message, target),
  ].filter((one) => one !== undefined);
}
