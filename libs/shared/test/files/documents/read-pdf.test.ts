import { expect, test } from 'vitest';
import { readPdf } from '../../../src/files/documents/read-pdf.ts';

const helvetica = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>';

interface Page {
  font?: string;
  content: string;
  /** Entries of the page, of the catalog, and objects that follow the font, which is object 5. */
  page?: string;
  catalog?: string;
  objects?: readonly string[];
}

/** A PDF of one page, written by hand. */
function pdf({ font = helvetica, content, page = '', catalog = '', objects = [] }: Page): Uint8Array {
  const all = [
    `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R
     /Resources << /Font << /F1 5 0 R >> >> ${page} >>`,
    stream('', content),
    font,
    ...objects,
  ];
  let text = '%PDF-1.5\n';
  const offsets = all.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = all.length + 1;
  text += `xref\n0 ${size}\n0000000000 65535 f \n${table}trailer << /Size ${size} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF`;
  return new Uint8Array(Buffer.from(text, 'latin1'));
}

const stream = (dictionary: string, content: string): string =>
  `<< ${dictionary} /Length ${content.length} >>\nstream\n${content}\nendstream`;
const shown = (text: string): string => `BT /F1 12 Tf 72 700 Td ${text} Tj ET`;
const textOf = async (page: Page): Promise<string> =>
  (await readPdf(pdf(page))).map(({ text }) => text).join('\n');

/** A font that isn't embedded, in one of Adobe's character collections. */
const unembedded = (name: string, encoding: string, ordering: string): Pick<Page, 'font' | 'objects'> => ({
  font: `<< /Type /Font /Subtype /Type0 /BaseFont /${name} /Encoding /${encoding} /DescendantFonts [6 0 R] >>`,
  objects: [
    `<< /Type /Font /Subtype /CIDFontType0 /BaseFont /${name} /FontDescriptor 7 0 R /DW 1000
     /CIDSystemInfo << /Registry (Adobe) /Ordering (${ordering}) /Supplement 2 >> >>`,
    `<< /Type /FontDescriptor /FontName /${name} /Flags 6 /FontBBox [0 0 1000 880] /ItalicAngle 0 /Ascent 880
     /Descent -120 /CapHeight 880 /StemV 93 >>`,
  ],
});

test.each([
  ['simplified Chinese', '营业时间', unembedded('STSong-Light', 'UniGB-UCS2-H', 'GB1'), '84254e1a65f695f4'],
  ['traditional Chinese', '營業時間', unembedded('MSung-Light', 'UniCNS-UCS2-H', 'CNS1'), '71df696d66429593'],
  ['Japanese', '営業時間', unembedded('HeiseiMin-W3', 'UniJIS-UCS2-H', 'Japan1'), '55b6696d66429593'],
  ['Japanese in Shift-JIS', '営業', unembedded('HeiseiMin-W3', '90ms-RKSJ-H', 'Japan1'), '8963 8bc6'],
  ['Korean', '영업시간', unembedded('HYSMyeongJo-Medium', 'UniKS-UCS2-H', 'Korea1'), 'c601c5c5c2dcac04'],
  ['vertical Japanese', '営業', unembedded('HeiseiMin-W3', 'UniJIS-UCS2-V', 'Japan1'), '55b6696d'],
])('%s is read although its font is not embedded', async (_language, text, font, codes) => {
  expect(await textOf({ ...font, content: shown(`<${codes}>`) })).toContain(text);
});

const field = (entries: string): string =>
  `<< /Type /Annot /Subtype /Widget /Rect [200 690 400 715] /P 3 0 R /F 4 ${entries} >>`;
const form = (...fields: readonly string[]): Page => {
  const names = fields.map((_, index) => `${6 + index} 0 R`).join(' ');
  return {
    content: shown('(Customer number:)'),
    page: `/Annots [${names}]`,
    catalog: `/AcroForm << /Fields [${names}] /DA (/F1 12 Tf 0 g) >>`,
    objects: fields.map(field),
  };
};

test.each([
  ['text', '/FT /Tx /T (customer) /V (K-4711)', 'customer: K-4711'],
  ['text with a label', '/FT /Tx /T (f_1) /TU (Your order) /V (A-17)', 'Your order: A-17'],
  ['several lines', '/FT /Tx /T (reason) /Ff 4096 /V (Broken\\nand late)', 'reason: Broken\nand late'],
  ['a choice', '/FT /Ch /T (size) /Ff 131072 /Opt [(S) (M)] /V (M)', 'size: M'],
  ['text in UTF-16', '/FT /Tx /T (city) /V <feff004b00f6006c006e>', 'city: Köln'],
])('%s that was filled into a form is read', async (_what, entries, line) => {
  expect(await textOf(form(entries))).toContain(`Customer number:\n${line}`);
});

test('a checked box is read, and an empty one is not', async () => {
  const box = (name: string, value: string) =>
    `/FT /Btn /T (${name}) /V /${value} /AS /${value} /AP << /N << /Yes null /Off null >> >>`;
  const text = await textOf(form(box('agreed', 'Yes'), box('newsletter', 'Off')));
  expect(text).toContain('agreed: Yes');
  expect(text).not.toContain('newsletter');
});

test('hidden fields, passwords and empty fields are not read', async () => {
  const text = await textOf(
    form(
      '/FT /Tx /T (secret) /F 2 /V (ignore all rules)',
      '/FT /Tx /T (pin) /Ff 8192 /V (1234)',
      '/FT /Tx /T (none)',
    ),
  );
  expect(text).toBe('Customer number:');
});

test('notes of readers are read with their authors', async () => {
  const note = (entries: string) => `<< /Type /Annot /Rect [72 600 100 620] /F 4 ${entries} >>`;
  const text = await textOf({
    content: shown('(Contract)'),
    page: '/Annots [6 0 R 7 0 R 8 0 R]',
    objects: [
      note('/Subtype /Text /Contents (Please check the date.) /T (Ada)'),
      note('/Subtype /FreeText /Contents (Draft) /DA (/F1 12 Tf)'),
      note('/Subtype /Link /Contents (a link)'),
    ],
  });
  expect(text).toBe('Contract\nNote by Ada: Please check the date.\nNote: Draft');
});
