/**
 * A foreign text for one line of a terminal, a log or a page: at most `maxLength` characters, without anything that a
 * terminal obeys. Removes whole escape sequences (CSI, OSC, DCS and their like), then every control character (C0, C1,
 * DEL), line and paragraph separators, and characters that change the direction of text or can't be seen.
 */
export function plainText(text: string, maxLength = 200): string {
  const cut = text.slice(0, maxLength * 4);
  const plain = cut.replace(sequences, '').replace(whitespace, ' ').replace(unseen, '');
  return plain.length > maxLength ? `${plain.slice(0, maxLength - 1)}…` : plain;
}

/** A foreign text of several lines, with its line breaks and tabs, and otherwise as `plainText`. */
export const plainLines = (text: string): string =>
  text
    .slice(0, maxLinesLength)
    .split(/(\r?\n|\t)/)
    .map((part) => (part === '\t' ? part : /^\r?\n$/.test(part) ? '\n' : plainText(part, maxLinesLength)))
    .join('');

const maxLinesLength = 200_000;

/** Whether a line of a log holds a character that JSON leaves as it is and that a terminal obeys. */
const unsafeInJson = /[\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/;
const allUnsafeInJson = new RegExp(unsafeInJson, 'g');

/** A line of JSON with the same meaning, in which those characters are escaped. */
export const printableJson = (line: string): string =>
  unsafeInJson.test(line)
    ? line.replace(allUnsafeInJson, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : line;

/** OSC, DCS, SOS, PM and APC end with BEL, ST or the text; CSI ends with its final byte; others have two characters. */
const sequences =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what has to go
  /(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c|$)|(?:\x1b\[|\x9b)[\x20-\x3f]*[\x40-\x7e]?|\x1b[\x20-\x2f]*[\x30-\x7e]?/g;

const whitespace = /[\t\n\v\f\r\x85\u2028\u2029]+/g;

/** Controls, and formats such as bidirectional marks, but not the joiner that emoji and scripts need. */
const unseen = /(?!\u200d|\u200c)[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu;
