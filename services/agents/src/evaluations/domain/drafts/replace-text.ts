import { withoutSecrets } from '@botyard/shared/log/without-secrets';
import { cardOfLength, ibanOf, inShapeOf, isCard, isIban, numberOfLength } from './digits.ts';
import { isCommon, type KnownPeople, wordsOf } from './known-people.ts';
import type { Placeholders, ReplacedKind } from './placeholders.ts';

/** A part of a text; a placeholder is not looked at again. */
export interface Segment {
  text: string;
  isPlaceholder: boolean;
}

interface Match {
  start: number;
  end: number;
  /** `undefined`: it stays. */
  placeholder: string | undefined;
}

interface Replacing {
  people: KnownPeople;
  placeholders: Placeholders;
}

type Finder = (replacing: Replacing, text: string) => Iterable<Match>;

/** Characters that are not seen: they could divide a name or a number, or turn its order. */
const hidden = /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]/g;

/** Replaces what the records know and what has a form of personal data. Takes time linear in the text. */
export function replaceInText(replacing: Replacing, text: string): Segment[] {
  const visible = withoutSecrets(text.replace(hidden, ''));
  let segments: Segment[] = [{ text: visible, isPlaceholder: false }];
  for (const finder of finders)
    segments = segments.flatMap((segment) =>
      segment.isPlaceholder ? [segment] : split(segment.text, finder(replacing, segment.text)),
    );
  return segments;
}

function split(text: string, matches: Iterable<Match>): Segment[] {
  const segments: Segment[] = [];
  let from = 0;
  for (const { start, end, placeholder } of matches) {
    if (placeholder === undefined) continue;
    if (start > from) segments.push({ text: text.slice(from, start), isPlaceholder: false });
    segments.push({ text: placeholder, isPlaceholder: true });
    from = end;
  }
  if (from < text.length) segments.push({ text: text.slice(from), isPlaceholder: false });
  return segments;
}

const wordOfMail = /[^\s<>()[\]{},;:"`=&?/|\\#*]+/g;

/** Mail addresses, also with `%40` as in links. */
function* mails({ people, placeholders }: Replacing, text: string): Generator<Match> {
  for (const { 0: word, index } of text.matchAll(wordOfMail)) {
    const sign = word.includes('@') ? '@' : '%40';
    const at = word.indexOf(sign);
    const end = endOfWord(word);
    if (at < 1 || at + sign.length >= end) continue;
    const address = word.slice(0, end).replace(sign, '@').toLowerCase();
    const person = people.byAccount(address) ?? `mail ${address}`;
    const placeholder = placeholders.of('email', address, address, () =>
      mailOf(placeholders.numberOf(person)),
    );
    yield { start: index, end: index + end, placeholder: placeholder?.replace('@', sign) };
  }
}

const mailOf = (number: number): string => `person-${number}@example.com`;

/** Without the punctuation of its sentence. */
function endOfWord(word: string): number {
  let end = word.length;
  while (end > 0 && ".!'_-".includes(word[end - 1] ?? '')) end -= 1;
  return end;
}

/** A shorter name of a user is meant only behind an `@`. */
const fewestOfAccount = 4;

/** Names of users and other accounts that the records have. */
function* accounts({ people, placeholders }: Replacing, text: string): Generator<Match> {
  for (const { text: word, start, end } of wordsOf(text)) {
    const isMeant = text[start - 1] === '@' || (word.length >= fewestOfAccount && !isCommon(word));
    if (!isMeant || /^\d+$/.test(word)) continue;
    const person = people.byAccount(word);
    if (person === undefined) continue;
    const make = () => `person_${placeholders.numberOf(person)}`;
    yield { start, end, placeholder: placeholders.of('account', word.toLowerCase(), word, make) };
  }
}

const ibanForm = /\b[A-Za-z]{2}\d{2}(?: ?[A-Za-z0-9]){11,30}/g;
const lengthOfIban = { shortest: 15, longest: 34 };

function* ibans({ placeholders }: Replacing, text: string): Generator<Match> {
  for (const { 0: candidate, index } of text.matchAll(ibanForm)) {
    const end = endOfIban(candidate, text[index + candidate.length]);
    if (end === undefined) continue;
    const original = candidate.slice(0, end);
    const compact = original.replaceAll(' ', '').toUpperCase();
    const make = () => ibanOf(compact.slice(0, 2), compact.length, placeholders.next('iban'));
    const made = placeholders.of('iban', compact, original, make);
    yield { start: index, end: index + end, placeholder: spacedAs(original, made) };
  }
}

/** The end of the longest account number at the beginning of a text that may go on with words. */
function endOfIban(candidate: string, following = ' '): number | undefined {
  for (let end = candidate.length; end >= lengthOfIban.shortest; end -= 1) {
    const next = end === candidate.length ? following : candidate[end];
    if (/[A-Za-z0-9]/.test(next ?? ' ') || candidate[end - 1] === ' ') continue;
    const compact = candidate.slice(0, end).replaceAll(' ', '');
    if (compact.length >= lengthOfIban.shortest && compact.length <= lengthOfIban.longest && isIban(compact))
      return end;
  }
  return undefined;
}

function spacedAs(original: string, compact: string | undefined): string | undefined {
  if (compact === undefined) return undefined;
  let at = 0;
  return original.replace(/[^ ]/g, () => compact[at++] ?? '0');
}

const runOfDigits = /[+(]?\d(?:[ ().\-/\u00a0]{0,2}\d)*/g;
const date = /^(?:\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./](?:\d{4}|\d{2}))(?: \d{1,2})?(?!\d)/;
const fewestDigits = 6;

/** Phone numbers, cards, and six digits and more. Dates and times stay. */
function* numbers(replacing: Replacing, text: string): Generator<Match> {
  for (const { 0: run, index } of text.matchAll(runOfDigits)) {
    const isFraction = text[index - 1] === ':' && /^\d{2}\.\d+$/.test(run);
    const dateLength = date.exec(run)?.[0].length ?? 0;
    const rest = run.slice(dateLength);
    const start = index + dateLength + (rest.length - rest.trimStart().length);
    const original = rest.trimStart();
    const placeholder = isFraction ? undefined : placeholderOfNumber(replacing, original);
    yield { start, end: index + run.length, placeholder };
  }
}

function placeholderOfNumber({ people, placeholders }: Replacing, original: string): string | undefined {
  const digits = original.replace(/\D/g, '');
  if (digits.length < fewestDigits) return undefined;
  const plain = digits.replace(/^0+/, '');
  const isSpaced = digits.length !== original.length;
  const person = people.byAccount(digits) ?? people.byAccount(`+${plain}`) ?? people.byAccount(plain);
  if (isPhone(original, digits) || (person !== undefined && people.byAccount(`+${plain}`) !== undefined)) {
    const phone = placeholders.of('phone', plain, original, () => phoneOf(placeholders.next('phone')));
    return isSpaced ? phone : phone?.replace(/\D/g, '');
  }
  if (isSpaced && !/\d{3}/.test(original)) return undefined;
  const kind: ReplacedKind = isCard(digits) ? 'card' : 'number';
  const made = placeholders.of(kind, digits, original, () =>
    kind === 'card'
      ? cardOfLength(digits.length, placeholders.next('card'))
      : numberOfLength(
          digits.length,
          placeholders.next(`number ${digits.length}`),
          digits.startsWith('0') ? '0' : '1',
        ),
  );
  return made && inShapeOf(original, made.replace(/\D/g, ''));
}

const firstPhone = 100;
const phoneOf = (count: number): string => `+1 555 ${String(firstPhone + count - 1).padStart(4, '0')}`;

function isPhone(original: string, digits: string): boolean {
  if (digits.length < 7 || digits.length > 15) return false;
  if (/^[+(]/.test(original) || /^\d{3}[-. ]\d{3}[-. ]\d{4}$/.test(original)) return true;
  return original.startsWith('0') && (digits.length !== original.length || /^00\d{7,}$/.test(digits));
}

function* names({ people, placeholders }: Replacing, text: string): Generator<Match> {
  const words = wordsOf(text);
  for (let at = 0; at < words.length; at += 1) {
    const name = people.nameAt(words, at);
    const [first, last] = [words[at], name && words[at + name.length - 1]];
    if (!name || !first || !last) continue;
    const original = text.slice(first.start, last.end);
    yield {
      start: first.start,
      end: last.end,
      placeholder: nameOf(placeholders, name.personId, original),
    };
    at += name.length - 1;
  }
}

/** Names in scripts that don't separate words. */
function* namesInRuns({ people, placeholders }: Replacing, text: string): Generator<Match> {
  const starts = people.runs.flatMap(({ name, personId }) => {
    const matches = [];
    for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + name.length))
      matches.push({ start: at, end: at + name.length, name, personId });
    return matches;
  });
  starts.sort((one, other) => one.start - other.start || other.end - one.end);
  let from = 0;
  for (const { start, end, name, personId } of starts) {
    if (start < from) continue;
    yield { start, end, placeholder: nameOf(placeholders, personId, name) };
    from = end;
  }
}

const nameOf = (placeholders: Placeholders, personId: string, original: string): string | undefined => {
  const make = () => `Person ${placeholders.numberOf(personId)}`;
  return placeholders.of('name', `${personId} ${original.toLowerCase()}`, original, make);
};

const finders: readonly Finder[] = [mails, accounts, ibans, numbers, names, namesInRuns];
