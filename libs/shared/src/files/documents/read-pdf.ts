import { type Section, Unreadable } from './sections.ts';

const maxPages = 1000;

/** The text of a PDF, page by page. The library is loaded here, where the first PDF is read. @throws Unreadable */
export async function readPdf(bytes: Uint8Array): Promise<Section[]> {
  const { getDocumentProxy } = await import('unpdf');
  const document = await getDocumentProxy(bytes, {
    verbosity: 0,
    stopAtErrors: false,
    maxImageSize: 1,
  }).catch((error: Error) => {
    throw new Unreadable(
      error.name === 'PasswordException'
        ? 'The PDF is protected with a password.'
        : 'The PDF is damaged, or is none.',
      { cause: error },
    );
  });
  if (document.numPages > maxPages) throw new Unreadable(`The PDF has more than ${maxPages} pages.`);
  const sections: Section[] = [];
  for (let number = 1; number <= document.numPages; number += 1) {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    const text = items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join('');
    if (text.trim() !== '') sections.push({ heading: `Page ${number}`, text });
    page.cleanup();
  }
  if (sections.length === 0) throw new Unreadable('The PDF holds no text; perhaps it is a scan.');
  return sections;
}
