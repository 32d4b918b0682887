import { unescape as percentDecoded } from 'node:querystring';

/** A posted value: text, or percent-encoded bytes until it is read. */
type PostedValue = string | Uint8Array;

/** The stored fields of a delivery, by name. Can be passed to a thread. */
export type PostedFields = ReadonlyMap<string, readonly PostedValue[]>;

/** The limits of a field: the number of values, and the UTF-16 units of each. The rest is never read. */
interface FieldBound {
  maxValues: number;
  maxUnits: number;
}

/** The limits of an original text and of its HTML. */
const maxBodyUnits = 500_000;
const maxHtmlUnits = 1_000_000;
/** For a field that must have one value: a second value shows that it doesn't. */
const single = (maxUnits: number): FieldBound => ({ maxValues: 2, maxUnits });

const bounds: Readonly<Record<string, FieldBound>> = {
  timestamp: single(300),
  token: single(300),
  signature: single(300),
  'parent-signature': single(300),
  recipient: { maxValues: 10, maxUnits: 2000 },
  sender: single(1000),
  from: single(4000),
  subject: single(8000),
  'body-plain': { maxValues: 10, maxUnits: maxBodyUnits },
  'stripped-text': single(maxBodyUnits),
  'body-html': { maxValues: 10, maxUnits: maxHtmlUnits },
  'stripped-signature': single(2000),
  'body-calendar': single(20_000),
  // JSON can't be cut, so one that is too long is dropped.
  'message-headers': single(256 * 1024),
  'content-id-map': single(64 * 1024),
};
const wholeOnly = new Set(['message-headers', 'content-id-map']);
const unread = new Set(['stripped-html']);
/** Every other field is a header of the mail. */
const boundOfHeader: FieldBound = { maxValues: 20, maxUnits: 16_000 };
const maxNameUnits = 200;
/** A character takes up to nine bytes per unit, but no real mail consists of such characters only. */
const encodedBytesPerUnit = 6;

/** Collects the fields of a delivery as they arrive, and stores the part of each that may be read later. */
export class FieldCollector {
  readonly #fields = new Map<string, PostedValue[]>();
  /** The bytes, or units, that are stored. */
  keptBytes = 0;

  add(name: string, value: PostedValue): void {
    if (name.length > maxNameUnits || unread.has(name)) return;
    const { maxValues, maxUnits } = boundOf(name);
    const values = this.#fields.get(name) ?? [];
    if (values.length >= maxValues) return;
    const max = typeof value === 'string' ? maxUnits : maxUnits * encodedBytesPerUnit;
    if (value.length > max && wholeOnly.has(name)) return;
    const kept = value.length <= max ? value : value.slice(0, max);
    values.push(kept);
    this.keptBytes += kept.length;
    this.#fields.set(name, values);
  }

  has(name: string): boolean {
    return this.#fields.has(name);
  }

  /**
   * How many bytes of a field's percent-encoded value are read: none of one that is not stored. One more byte shows
   * that the value was longer.
   */
  maxBytesOf(name: string): number {
    const isFull = (this.#fields.get(name)?.length ?? 0) >= boundOf(name).maxValues;
    if (isFull || unread.has(name) || name.length > maxNameUnits) return 0;
    return boundOf(name).maxUnits * encodedBytesPerUnit + 1;
  }

  get fields(): PostedFields {
    return this.#fields;
  }
}

/**
 * The fields of a delivery, as posted. The mailer's own fields and those made from a mail's headers are mixed, and
 * differ only by the case of their names: `from` and `From`.
 */
export interface MailForm {
  /** The field's value; `undefined` for one that was posted more than once. */
  one(name: string): string | undefined;
  /** Every value, in order. */
  all(name: string): string[];
  names(): string[];
  readonly fields: PostedFields;
}

/** Reads fields. Each is decoded on demand. */
export function mailForm(fields: PostedFields): MailForm {
  const decoded = new Map<string, string[]>();
  const all = (name: string): string[] => {
    const values = decoded.get(name) ?? (fields.get(name) ?? []).map((value) => textOf(name, value));
    decoded.set(name, values);
    return values;
  };
  const one = (name: string) => (fields.get(name)?.length === 1 ? all(name)[0] : undefined);
  return { one, all, names: () => [...fields.keys()], fields };
}

/** The amount of data to read, in bytes or units. */
export const sizeOfFields = (fields: PostedFields): number =>
  fields.values().reduce((sum, values) => values.reduce((all, { length }) => all + length, sum), 0);

const boundOf = (name: string): FieldBound => (Object.hasOwn(bounds, name) ? bounds[name]! : boundOfHeader);

function textOf(name: string, value: PostedValue): string {
  if (typeof value === 'string') return value;
  // Replaces `+` first, because decoding them one by one takes hundreds of times as long.
  const encoded = Buffer.from(value.buffer, value.byteOffset, value.length)
    .toString('latin1')
    .replaceAll('+', ' ');
  const text = percentDecoded(encoded.replace(/%[\da-f]?$/i, ''));
  const { maxUnits } = boundOf(name);
  return text.length > maxUnits && wholeOnly.has(name) ? '' : text.slice(0, maxUnits);
}

export interface Triple {
  timestamp: string;
  token: string;
  signature: string;
  parentSignature: string | undefined;
}

/** The signature fields of a delivery; `undefined` while one is missing. */
export function tripleOf(form: MailForm): Triple | undefined {
  const [timestamp, token, signature] = ['timestamp', 'token', 'signature'].map((name) => form.one(name));
  if (timestamp === undefined || token === undefined || signature === undefined) return undefined;
  return { timestamp, token, signature, parentSignature: form.one('parent-signature') };
}
