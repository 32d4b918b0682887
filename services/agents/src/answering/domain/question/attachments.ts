import type { Attachment } from '@botyard/contracts/events/attachments';
import type { PlainWordKey, Say } from '@botyard/words/words';

type Came = Pick<Attachment, 'kind' | 'name'> | null | undefined;

/** What each kind is called to a model, and what is said to somebody who sent only that. */
const kinds: Readonly<Record<string, { noun: string; refusal: PlainWordKey }>> = {
  voice: { noun: 'a voice message', refusal: 'unsupported_voice' },
  audio: { noun: 'an audio file', refusal: 'unsupported_audio' },
  photo: { noun: 'a photo', refusal: 'unsupported_photo' },
  live_photo: { noun: 'a photo', refusal: 'unsupported_photo' },
  video: { noun: 'a video', refusal: 'unsupported_video' },
  video_note: { noun: 'a video message', refusal: 'unsupported_video_note' },
  animation: { noun: 'an animation', refusal: 'unsupported_animation' },
  sticker: { noun: 'a sticker', refusal: 'unsupported_sticker' },
  document: { noun: 'a file', refusal: 'unsupported_document' },
  location: { noun: 'a place on the map', refusal: 'unsupported_location' },
  venue: { noun: 'a place on the map', refusal: 'unsupported_location' },
  contact: { noun: 'a contact', refusal: 'unsupported_contact' },
  poll: { noun: 'a poll', refusal: 'unsupported_poll' },
  checklist: { noun: 'a checklist', refusal: 'unsupported_checklist' },
  dice: { noun: 'a game of chance', refusal: 'unsupported_game' },
  game: { noun: 'a game', refusal: 'unsupported_game' },
  story: { noun: 'a story', refusal: 'unsupported_story' },
};

/** A kind word to somebody who sent only what can't be read; it names what that was, when all of it was of one kind. */
export function cannotRead(say: Say, sent: readonly { attachment: Came }[]): string {
  const refusals = new Set(sent.map(({ attachment }) => kinds[attachment?.kind ?? '']?.refusal));
  const [refusal] = refusals;
  return say(refusals.size === 1 && refusal ? refusal : 'unsupported');
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
