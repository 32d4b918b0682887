import type { Attachment } from '@botyard/contracts/events/attachments';

type Came = Pick<Attachment, 'kind' | 'name'> | null | undefined;

/** What each kind is called, and what can't be done with it yet. */
const kinds: Readonly<Record<string, { noun: string; deed: string }>> = {
  voice: { noun: 'a voice message', deed: 'listen to voice messages' },
  audio: { noun: 'an audio file', deed: 'listen to audio files' },
  photo: { noun: 'a photo', deed: 'look at photos' },
  live_photo: { noun: 'a photo', deed: 'look at photos' },
  video: { noun: 'a video', deed: 'watch videos' },
  video_note: { noun: 'a video message', deed: 'watch video messages' },
  animation: { noun: 'an animation', deed: 'watch animations' },
  sticker: { noun: 'a sticker', deed: 'make sense of stickers' },
  document: { noun: 'a file', deed: 'open files' },
  location: { noun: 'a place on the map', deed: 'read maps' },
  venue: { noun: 'a place on the map', deed: 'read maps' },
  contact: { noun: 'a contact', deed: 'read contacts' },
  poll: { noun: 'a poll', deed: 'take part in polls' },
  checklist: { noun: 'a checklist', deed: 'read checklists' },
  dice: { noun: 'a game of chance', deed: 'play games' },
  game: { noun: 'a game', deed: 'play games' },
  story: { noun: 'a story', deed: 'look at stories' },
};

/** A kind word to somebody who sent only what can't be read; it names what that was, when all of it was of one kind. */
export function cannotRead(sent: readonly { attachment: Came }[]): string {
  const deeds = new Set(sent.map(({ attachment }) => kinds[attachment?.kind ?? '']?.deed));
  const [deed] = deeds;
  const what = deeds.size === 1 && deed ? `I can't ${deed} yet` : 'I can only read text so far';
  return `Sorry, ${what}. Please write to me in words.`;
}

/** Everything that could end the remark, or begin another line. */
const marks = /["[\]\p{Cc}\u2028\u2029]/gu;
const maxUnitsOfName = 100;

/** What a model is told of something that came with a message: that it was there, and can't be opened. */
export function remarkOn(attachment: Came): string {
  if (!attachment) return '';
  const noun = kinds[attachment.kind]?.noun ?? 'an attachment';
  const name = (attachment.name ?? '').replace(marks, ' ').slice(0, maxUnitsOfName).toWellFormed().trim();
  return `[This came with ${noun}${name ? ` named "${name}"` : ''}, which you cannot open.]`;
}
