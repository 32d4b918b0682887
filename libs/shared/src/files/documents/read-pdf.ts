import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { PDFPageProxy } from 'pdfjs-dist';
import { type Section, Unreadable } from './sections.ts';

const maxPages = 1000;
const maxUnitsOfName = 200;

/**
 * The text of a PDF, page by page, with what was typed into the fields of a form and the notes that readers added. The
 * library is loaded here, where the first PDF is read. @throws Unreadable
 */
export async function readPdf(bytes: Uint8Array): Promise<Section[]> {
  const document = await open(bytes);
  if (document.numPages > maxPages) throw new Unreadable(`The PDF has more than ${maxPages} pages.`);
  const sections: Section[] = [];
  for (let number = 1; number <= document.numPages; number += 1) {
    const page = await document.getPage(number);
    const text = [await textOf(page), ...(await annotationsOf(page))].join('\n');
    if (text.trim() !== '') sections.push({ heading: `Page ${number}`, text });
    page.cleanup();
  }
  if (sections.length === 0) throw new Unreadable('The PDF holds no text; perhaps it is a scan.');
  return sections;
}

/** Fonts that aren't embedded, as is usual in Chinese, Japanese and Korean, need the library's maps of characters. */
async function open(bytes: Uint8Array) {
  const { getDocument } = await import('pdfjs-dist/legacy/build/pdf.mjs');
  const library = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));
  const opening = getDocument({
    data: new Uint8Array(bytes),
    verbosity: 0,
    stopAtErrors: false,
    maxImageSize: 1,
    useWasm: false,
    useSystemFonts: false,
    enableXfa: true,
    cMapUrl: join(library, 'cmaps/'),
    cMapPacked: true,
    standardFontDataUrl: join(library, 'standard_fonts/'),
  });
  return await opening.promise.catch((error: Error) => {
    throw new Unreadable(
      error.name === 'PasswordException'
        ? 'The PDF is protected with a password.'
        : 'The PDF is damaged, or is none.',
      { cause: error },
    );
  });
}

async function textOf(page: PDFPageProxy): Promise<string> {
  const { items } = await page.getTextContent();
  return items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join('');
}

/** The fields of an annotation that are read; the library's own type is `any`. */
interface Annotation {
  subtype: string;
  hidden?: boolean;
  noView?: boolean;
  fieldType?: string;
  fieldName?: string;
  /** The label that a reader shows beside the field. */
  alternativeText?: string;
  fieldValue?: unknown;
  /** The value that means that a check box or radio button is checked. */
  exportValue?: string;
  buttonValue?: string;
  password?: boolean;
  contentsObj?: { str: string };
  titleObj?: { str: string };
}

/** Fields and notes that a reader shows, a line each. */
async function annotationsOf(page: PDFPageProxy): Promise<string[]> {
  const annotations = (await page.getAnnotations()) as Annotation[];
  return annotations
    .filter(({ hidden, noView }) => !hidden && !noView)
    .map((annotation) => (annotation.subtype === 'Widget' ? fieldText(annotation) : noteText(annotation)))
    .filter((text) => text !== '');
}

function fieldText(field: Annotation): string {
  const value = filledValue(field);
  const name = (field.alternativeText || (field.fieldName ?? '')).slice(0, maxUnitsOfName);
  return value === '' ? '' : `${name}: ${value}`;
}

function filledValue({ fieldType, fieldValue, exportValue, buttonValue, password }: Annotation): string {
  if (password) return '';
  if (fieldType === 'Btn') {
    const checked = exportValue ?? buttonValue;
    return checked !== undefined && fieldValue === checked && checked !== 'Off' ? checked : '';
  }
  const values = Array.isArray(fieldValue) ? fieldValue : [fieldValue];
  return values.filter((value) => typeof value === 'string' && value.trim() !== '').join(', ');
}

function noteText({ contentsObj, titleObj, subtype }: Annotation): string {
  const text = contentsObj?.str.trim() ?? '';
  if (text === '' || subtype === 'Link' || subtype === 'Popup') return '';
  const author = titleObj?.str.trim().slice(0, maxUnitsOfName);
  return author ? `Note by ${author}: ${text}` : `Note: ${text}`;
}
