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

/** OSC, DCS, SOS, PM and APC end with BEL, ST or the text; CSI ends with its final byte; others have two characters. */
const sequences =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what has to go
  /(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c|$)|(?:\x1b\[|\x9b)[\x20-\x3f]*[\x40-\x7e]?|\x1b[\x20-\x2f]*[\x30-\x7e]?/g;

const whitespace = /[\t\n\v\f\r\x85\u2028\u2029]+/g;

/** Controls, and formats such as bidirectional marks, but not the joiner that emoji and scripts need. */
const unseen = /(?!\u200d|\u200c)[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu;
