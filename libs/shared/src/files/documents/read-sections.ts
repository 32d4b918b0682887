import { readHtml } from './read-html.ts';
import { readMarkdown } from './read-markdown.ts';
import { readPdf } from './read-pdf.ts';
import type { Section } from './sections.ts';

/** Document types with readable text. */
export type DocumentType = 'text' | 'markdown' | 'html' | 'pdf';

/** A document's text, by headings. Run it only where a hostile document can do no harm. @throws Unreadable */
export async function readSections(type: DocumentType, bytes: Uint8Array): Promise<Section[]> {
  const sections = await read(type, bytes);
  return sections.map(({ heading, text }) => ({ heading: storable(heading), text: storable(text) }));
}

function read(type: DocumentType, bytes: Uint8Array): Section[] | Promise<Section[]> {
  if (type === 'pdf') return readPdf(bytes);
  const text = new TextDecoder().decode(bytes);
  if (type === 'html') return readHtml(text);
  return type === 'markdown' ? readMarkdown(text) : [{ heading: '', text }];
}

/** Postgres can't store U+0000 or a lone surrogate. */
const storable = (text: string): string => text.replaceAll('\0', '').toWellFormed();
