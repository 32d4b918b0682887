import type { SourceType } from '@botyard/shared/contracts/context-sources';
import type { NewChunk } from '../../store/context/reading.ts';
import { tsvectorOf } from '../../store/context/words.ts';
import { passagesOf } from './chunks.ts';
import { readHtml } from './read-html.ts';
import { readMarkdown } from './read-markdown.ts';
import { readPdf } from './read-pdf.ts';
import { type Section, Unreadable } from './sections.ts';

const mostUnits = 5_000_000;
export const mostPassagesOfDocument = 10_000;

/** A document's passages, ready to be kept. Only to be run where a hostile document can do no harm. @throws Unreadable */
export async function readDocument(type: SourceType, bytes: Uint8Array): Promise<NewChunk[]> {
  const sections = (await read(type, bytes)).map(({ heading, text }) => ({
    heading: storable(heading),
    text: storable(text),
  }));
  const units = sections.reduce((sum, { text }) => sum + text.length, 0);
  if (units > mostUnits) throw new Unreadable('The document holds more than 5,000,000 characters of text.');
  const passages = passagesOf(sections);
  if (passages.length === 0) throw new Unreadable('The document holds no text.');
  if (passages.length > mostPassagesOfDocument)
    throw new Unreadable('The document has more than 10,000 passages: divide it.');
  return passages.map(({ heading, text }) => ({ heading, text, words: tsvectorOf({ heading, text }) }));
}

function read(type: SourceType, bytes: Uint8Array): Section[] | Promise<Section[]> {
  if (type === 'pdf') return readPdf(bytes);
  const text = new TextDecoder().decode(bytes);
  if (type === 'html') return readHtml(text);
  return type === 'markdown' ? readMarkdown(text) : [{ heading: '', text }];
}

/** Postgres can't keep U+0000, and half a character is none. */
const storable = (text: string): string => text.replaceAll('\0', '').toWellFormed();
