import { parseForeignJson } from '@botyard/shared/json/parse-json';
import canonicalize from 'canonicalize';
import type { ServerResult } from '../clients/server-call.ts';

/** A picture of a result: foreign data. */
export interface ResultPicture {
  mediaType: string;
  bytes: Uint8Array;
}

/** The parts of a result: foreign data. The words name each picture, for models and readers that don't see it. */
export interface ResultParts {
  text: string;
  pictures: ResultPicture[];
}

const maxPictures = 4;
const maxNameUnits = 500;

type Part = Record<string, unknown>;

/**
 * Reads the parts of a result. Sounds, files and links are named, and nothing is fetched. Servers repeat structured
 * content as text for readers that don't know it: it is added only if no text is the same.
 */
export function readParts({ content, structuredContent }: ServerResult): ResultParts {
  const pictures: ResultPicture[] = [];
  const lines: string[] = [];
  for (const part of content.map((one) => Object(one) as Part)) {
    const picture = part.type === 'image' ? pictureIn(part) : undefined;
    if (picture && pictures.length < maxPictures) pictures.push(picture);
    const words = picture ? wordsOfPicture(picture) : wordsOfPart(part);
    if (words !== '') lines.push(words);
  }
  const structured = structuredContent === undefined ? undefined : canonicalOf(structuredContent);
  if (structured !== undefined && !content.some((part) => repeats(part, structured))) lines.push(structured);
  return { text: lines.join('\n'), pictures };
}

/** The type is that of the bytes, since a provider refuses a whole question with a picture of another type. */
function pictureIn({ data }: Part): ResultPicture | undefined {
  if (typeof data !== 'string') return undefined;
  const bytes = Buffer.from(data, 'base64');
  const mediaType = pictureTypeOf(bytes);
  return mediaType === undefined ? undefined : { mediaType, bytes };
}

/** The first bytes, in hex, of the types that all providers accept. */
const beginnings: readonly (readonly [mediaType: string, beginning: RegExp])[] = [
  ['image/png', /^89504e470d0a1a0a/],
  ['image/jpeg', /^ffd8ff/],
  ['image/gif', /^47494638(?:37|39)61/],
  ['image/webp', /^52494646.{8}57454250/],
];
const beginBytes = 12;

/** The type of a picture that a model may get, by its bytes; `undefined` for all others. It is not decoded. */
function pictureTypeOf(bytes: Buffer): string | undefined {
  const begin = bytes.toString('hex', 0, beginBytes);
  return beginnings.find(([, beginning]) => beginning.test(begin))?.[0];
}

const wordsOfPicture = ({ mediaType, bytes }: ResultPicture): string =>
  `[picture: ${mediaType}, ${Math.ceil(bytes.length / 1024)} KiB]`;

/** A part in words. */
function wordsOfPart({ type, text, uri, name, mimeType, description, resource }: Part): string {
  switch (type) {
    case 'text':
      return textIn(text);
    case 'image':
      return `[picture: ${short(mimeType)}]`;
    case 'audio':
      return `[sound: ${short(mimeType)}]`;
    case 'resource_link': {
      const about = textIn(description) === '' ? '' : `: ${short(description)}`;
      return `[link: ${short(name)} (${short(uri)})${about}]`;
    }
    case 'resource': {
      const embedded = Object(resource) as Part;
      const file = `[file: ${short(embedded.uri)} ${short(embedded.mimeType)}`.trimEnd();
      return typeof embedded.text === 'string' ? embedded.text : `${file}]`;
    }
    default:
      return '';
  }
}

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

const short = (value: unknown): string => textIn(value).slice(0, maxNameUnits).toWellFormed();

function canonicalOf(value: unknown): string | undefined {
  try {
    return canonicalize(value);
  } catch {
    return undefined;
  }
}

const maxComparedUnits = 64 * 1024;
const comparedBounds = { maxValues: 10_000, maxDepth: 64 };

/** Whether a text says the same. */
function repeats(part: unknown, structured: string): boolean {
  const { type, text } = Object(part) as Part;
  if (type !== 'text' || typeof text !== 'string' || text.length > maxComparedUnits) return false;
  try {
    return canonicalOf(parseForeignJson(text, comparedBounds)) === structured;
  } catch {
    return false;
  }
}
