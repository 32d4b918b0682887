/** Placeholders for media. The sandbox has no files, only the messages that carry them. */
import { element } from './dom.js';

/** Fixed, so that a voice message always has the same waves. */
const waves = [5, 9, 14, 8, 18, 12, 20, 10, 6, 15, 19, 9, 13, 7, 16, 11, 5, 8];

const names = {
  photo: 'Photo',
  voice: 'Voice message',
  audio: 'Audio file',
  video: 'Video',
  video_note: 'Video message',
  sticker: 'Sticker',
  document: 'Document',
};

/** Returns the one-line name of a message without text. */
export const mediaName = (kind) => names[kind] ?? 'Message';

/** @param {{media: string, messageId: number}[]} entries one entry, or all entries of an album */
export function mediaView(entries) {
  const [{ media }] = entries;
  if (media === 'photo') {
    const shots = entries.map(({ messageId }, index) => photo(messageId, index + 1));
    return element('div', `photos count-${Math.min(3, shots.length)}`, ...shots);
  }
  if (media === 'voice') return element('div', 'voice', play(), bars(), element('small', '', '0:07'));
  if (media === 'sticker') return labelled(element('div', 'sticker', '👍'), 'Sticker: 👍');
  return element(
    'div',
    'file',
    element('span', 'page', 'PDF'),
    element('span', 'words', element('span', '', 'report.pdf'), element('small', '', '48 kB')),
  );
}

function photo(messageId, number) {
  const shot = element('div', 'photo', element('span', 'sun'), element('span', 'hill'));
  shot.dataset.shade = String(messageId % 3);
  return labelled(shot, `Photo ${number}`);
}

function play() {
  return element('span', 'play', '▶');
}

function bars() {
  const all = waves.map((height) => {
    const bar = element('i', '');
    bar.style.height = `${height}px`;
    return bar;
  });
  return labelled(element('div', 'waves', ...all), 'Voice message of 7 seconds');
}

function labelled(made, label) {
  made.setAttribute('role', 'img');
  made.setAttribute('aria-label', label);
  return made;
}
