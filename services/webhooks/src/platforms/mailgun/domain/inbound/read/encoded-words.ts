import { TextDecoder } from 'node:util';

/**
 * Decodes `=?charset?B?…?=` and `=?charset?Q?…?=` in a header (RFC 2047). A word that can't be read, or whose character
 * set is unknown, is unchanged. Adjacent words of one character set are joined before decoding, because a character may
 * be split between them.
 */
export function decodeWords(text: string): string {
  if (!text.includes('=?')) return text;
  return text.replace(run, (words) => {
    let decoded = '';
    let open: { charset: string; bytes: Buffer[]; written: string } | undefined;
    const close = () => {
      if (open) decoded += decode(open.charset, Buffer.concat(open.bytes)) ?? open.written;
      open = undefined;
    };
    for (const [written, charset = '', encoding = '', content = ''] of words.matchAll(word)) {
      if (open && open.charset !== charset.toLowerCase()) close();
      open ??= { charset: charset.toLowerCase(), bytes: [], written: '' };
      open.bytes.push(encoding.toLowerCase() === 'b' ? Buffer.from(content, 'base64') : fromQ(content));
      open.written += written;
    }
    close();
    return decoded;
  });
}

/** Bounded, so that the expression runs in linear time on any text. */
const one = "=\\?[\\w!#$%&'*+.^`{|}~-]{1,60}\\?[bBqQ]\\?[^?\\s]{0,1000}\\?=";
const run = new RegExp(`${one}(?:[ \\t\\r\\n]{1,10}${one})*`, 'g');
/** RFC 2231 lets a language follow the character set. */
const word = /=\?([^?*]{1,60})(?:\*[^?]{0,60})?\?([bq])\?([^?\s]{0,1000})\?=/gi;

function fromQ(content: string): Buffer {
  const bytes = content
    .replaceAll('_', ' ')
    .replace(/=([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1');
}

function decode(charset: string, bytes: Buffer): string | undefined {
  return decoderOf(charset)?.decode(bytes);
}

/**
 * Caches decoders: creating one costs far more than using it, and a subject may name one for each letter. `null` means
 * that there is no such character set.
 */
const decoders = new Map<string, TextDecoder | null>();
const maxDecoders = 100;

function decoderOf(charset: string): TextDecoder | null {
  const cachedDecoder = decoders.get(charset);
  if (cachedDecoder !== undefined) return cachedDecoder;
  if (decoders.size >= maxDecoders) decoders.clear();
  const made = makeDecoder(charset);
  decoders.set(charset, made);
  return made;
}

function makeDecoder(charset: string): TextDecoder | null {
  try {
    return new TextDecoder(charset);
  } catch {
    return null;
  }
}
