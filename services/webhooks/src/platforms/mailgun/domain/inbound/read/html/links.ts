const maxUnitsOfAddress = 2000;
const maxUnitsOfWords = 300;

/** Where a link leads, as it is shown: `https://…`, or the address behind `mailto:`. Empty for a place in the page. */
export function addressOfLink(href: string): string {
  const written = href.slice(0, maxUnitsOfAddress + 1).replace(/[\s\p{Cc}\p{Cf}]+/gu, '');
  if (written.length > maxUnitsOfAddress) return `${written.slice(0, maxUnitsOfAddress)}…`;
  const [, scheme = '', rest = ''] = /^([a-z][a-z\d+.-]{0,20}):(.*)$/is.exec(written) ?? [];
  const name = scheme.toLowerCase();
  if (name === 'mailto' || name === 'tel' || name === 'sms') return decoded(rest.split('?', 1)[0]!);
  if (name === '') return written.startsWith('//') ? `https:${written}` : '';
  // Neither is an address: they hold a program, or the content itself.
  return /^(?:javascript|vbscript|data|cid|about|blob|file)$/.test(name) ? '' : written;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Whether a link's words say its address already. */
export const isAddressOf = (words: string, address: string): boolean => bare(words) === bare(address);

const bare = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replace(/^(?:https?:\/\/)?(?:www\.)?/, '')
    .replace(/\/+$/, '');

/** The words for a picture: `[picture: alt]`. Empty for one without a text, and for one too small to be seen. */
export function wordsOfPicture({ alt = '', width = '', height = '' }: Record<string, string>): string {
  const words = alt
    .slice(0, maxUnitsOfWords * 4)
    .replace(/[\s\p{Cc}\p{Cf}[\]]+/gu, ' ')
    .trim()
    .slice(0, maxUnitsOfWords);
  const isTiny = [width, height].some((size) => /^\s*[012](?:px)?\s*$/.test(size));
  if (words === '' || isTiny) return '';
  // Some programs write emoji as pictures.
  if (
    /^(?:\p{Extended_Pictographic}|\p{Emoji_Component}|\u200d|\ufe0f|\s)+$/u.test(words) &&
    !/\d/.test(words)
  )
    return words;
  return `[picture: ${words}]`;
}

/** Adds the addresses of links to a plain text that has their words alone. */
export function withAddresses(text: string, links: readonly { words: string; address: string }[]): string {
  let at = 0;
  let written = '';
  for (const { words, address } of links) {
    if (text.includes(address)) continue;
    const start = text.indexOf(words, at);
    if (start < 0) continue;
    written += `${text.slice(at, start + words.length)} (${address})`;
    at = start + words.length;
  }
  return written + text.slice(at);
}
