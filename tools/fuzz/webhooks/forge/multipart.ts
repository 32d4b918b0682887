import type { TestFile } from '../../../../services/webhooks/test/mailboxes.ts';
import type { SeededRandom } from '../../seeded-random.ts';

export type Pair = readonly [name: string, value: string];

export interface Form {
  pairs: readonly Pair[];
  files: readonly TestFile[];
  mark: string;
}

export interface Posted {
  body: Buffer;
  type: string;
  trick: string;
}

const crlf = '\r\n';
const hostileNames = [
  '../../etc/passwd',
  'a\0b.txt',
  '\u202egnp.exe',
  'x'.repeat(10_000),
  '',
  '"; filename="b',
  'CON',
  '\n',
];

type Part = (head: string, content: Buffer | string) => Buffer;

interface Parts {
  part: Part;
  fields: readonly Buffer[];
  files: readonly Buffer[];
  /** A file with a name that must not be trusted. */
  hostileFile: Buffer;
}

const repeated = (count: number, part: Buffer): Buffer[] => Array.from({ length: count }, () => part);

/** Orders, numbers and forms of parts that the mailer never sends. All are complete. */
const arrangements: readonly (readonly [trick: string, arrange: (parts: Parts) => readonly Buffer[]])[] = [
  ['a hostile file name', ({ fields, hostileFile }) => [...fields, hostileFile]],
  ['the file first', ({ fields, files, hostileFile }) => [hostileFile, ...fields, ...files]],
  ['eleven files', ({ fields, hostileFile }) => [...fields, ...repeated(11, hostileFile)]],
  ['many parts', ({ fields, part }) => [...fields, ...repeated(1100, part(`${disposition}; name="a"`, 'x'))]],
  ['parts without a name', ({ fields, part }) => [part(disposition, 'x'), part('X: y', 'x'), ...fields]],
  [
    'a part with a long head',
    ({ fields, part }) => [part(`${disposition}; name="a"${crlf}X: ${'y'.repeat(30_000)}`, 'x'), ...fields],
  ],
  [
    'an odd encoding of a part',
    ({ fields, part }) => [
      part(`${disposition}; name*=utf-16''%00${crlf}Content-Transfer-Encoding: base64`, '%%%'),
      ...fields,
    ],
  ],
];
const disposition = 'Content-Disposition: form-data';

/** Damages to the bytes or the type of a whole form. */
const damages: readonly (readonly [
  trick: string,
  damage: (form: Posted, random: SeededRandom) => Partial<Posted>,
])[] = [
  ['no end', ({ body }) => ({ body: body.subarray(0, body.lastIndexOf('--', body.length - 5)) })],
  ['cut off', ({ body }, random) => ({ body: body.subarray(0, random.below(body.length)) })],
  ['no boundary', () => ({ type: 'multipart/form-data' })],
  ['another boundary', ({ type }) => ({ type: `${type}x` })],
  ['a quoted boundary', ({ type }) => ({ type: `${type.replace('boundary=', 'boundary="')}"` })],
  ['a long boundary', () => ({ type: `multipart/form-data; boundary=${'b'.repeat(3000)}` })],
  [
    'line feeds only',
    ({ body }) => ({ body: Buffer.from(body.toString('latin1').replaceAll(crlf, '\n'), 'latin1') }),
  ],
  ['two forms', ({ body }) => ({ body: Buffer.concat([body, body]) })],
];

/** Returns a multipart form as the mailer posts it, or a malformed one. */
export function multipart(random: SeededRandom, { pairs, files, mark }: Form, about: string): Posted {
  const boundary = `mark${random.digits(16)}`;
  const part: Part = (head, content) =>
    Buffer.concat(
      [`--${boundary}${crlf}${head}${crlf}${crlf}`, content, crlf].map((piece) =>
        Buffer.from(piece as string),
      ),
    );
  const filePart = ({ field = 'attachment-1', name, bytes }: TestFile) =>
    part(`${disposition}; name="${field}"; filename="${name}"${crlf}Content-Type: text/plain`, bytes);
  const parts = {
    part,
    fields: pairs.map(([name, value]) => part(`${disposition}; name="${name}"`, value)),
    files: files.map(filePart),
    hostileFile: filePart({ name: random.pick(hostileNames), bytes: Buffer.from(`${mark} file`) }),
  };
  const [arranged, arrange] = random.chance(0.4) ? random.pick(arrangements) : (['', asItIs] as const);
  const form: Posted = {
    body: Buffer.concat([...arrange(parts), Buffer.from(`--${boundary}--${crlf}`)]),
    type: `multipart/form-data; boundary=${boundary}`,
    trick: [about, arranged].filter(Boolean).join(', '),
  };
  if (random.chance(0.7)) return form;
  const [trick, damage] = random.pick(damages);
  return { ...form, ...damage(form, random), trick: [form.trick, trick].filter(Boolean).join(', ') };
}

const asItIs = ({ fields, files }: Parts): readonly Buffer[] => [...fields, ...files];
