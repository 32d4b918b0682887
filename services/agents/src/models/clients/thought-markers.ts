/**
 * How models mark what they think inside a text: tags of DeepSeek, Qwen, GLM, MiniMax, Seed and EXAONE, the tokens of
 * Magistral, Kimi, Cohere, Sky-T1, Gemma, MedGemma and Apertus, the channels of GPT-OSS, and Granite's sentences.
 */
type MarkerKind =
  | 'open'
  | 'close'
  /** Begins the answer: it also ends thoughts. */
  | 'answer'
  /** Says nothing, and is no part of a text. */
  | 'token';

interface Marker {
  kind: MarkerKind;
  length: number;
}

/** The longest marker, with a tag's attributes. A text that could still become a marker waits for so many units. */
export const maxMarkerUnits = 160;

const tagName = '(?:[a-z]{1,12}:)?(?:think|thinking|thought|thoughts|reasoning|reflection)';
const channel = (names: string) =>
  `(?:<\\|start\\|>assistant)?<\\|channel\\|>\\s?(?:${names})\\b[^<]{0,60}(?:<\\|constrain\\|>[^<]{0,20})?(?:<\\|message\\|>)`;

const patterns: Readonly<Record<MarkerKind, readonly string[]>> = {
  open: [
    ...[`<${tagName}(?:\\s[^<>]{0,80})?>`, '\\[THINK\\]', '◁think▷', '<\\|begin_of_thought\\|>'],
    ...['<\\|START_THINKING\\|>', '<\\|channel>\\s?thought\\b', '<unused94>(?:thought\\b)?'],
    ...['<\\|inner_prefix\\|>', channel('analysis|commentary')],
  ],
  close: [
    ...[`</${tagName}\\s?>`, '\\[/THINK\\]', '◁/think▷', '<\\|end_of_thought\\|>', '<\\|END_THINKING\\|>'],
    ...['<channel\\|>', '<unused95>', '<\\|inner_suffix\\|>'],
  ],
  answer: [channel('final'), '<\\|begin_of_solution\\|>', '<\\|START_RESPONSE\\|>'],
  token: [
    ...['<\\|end_of_solution\\|>', '<\\|END_RESPONSE\\|>', '<\\|start\\|>assistant', '<\\|return\\|>'],
    ...['<\\|end\\|>', '<\\|call\\|>', '<\\|think\\|>'],
  ],
};

const kinds = Object.keys(patterns) as MarkerKind[];
const source = kinds.map((kind) => `(?<${kind}>${patterns[kind].join('|')})`).join('|');
const atPlace = new RegExp(source, 'iuy');
const ofThoughtsEnd = new RegExp(
  kinds
    .filter((kind) => kind !== 'open' && kind !== 'token')
    .map((kind) => `(?<${kind}>${patterns[kind].join('|')})`)
    .join('|'),
  'giu',
);

/** Units that begin a marker. */
export const marksBegin = '<[◁';

function markerOf(match: RegExpExecArray | null): Marker | undefined {
  const [text = ''] = match ?? [];
  const kind = kinds.find((name) => match?.groups?.[name] !== undefined);
  return kind && { kind, length: text.length };
}

/** The marker at exactly this place. */
export function markerAt(text: string, place: number): Marker | undefined {
  atPlace.lastIndex = place;
  return markerOf(atPlace.exec(text));
}

/** The first marker from this place on that ends thoughts. */
export function thoughtsEndIn(text: string, from: number): (Marker & { place: number }) | undefined {
  ofThoughtsEnd.lastIndex = from;
  const match = ofThoughtsEnd.exec(text);
  const marker = markerOf(match);
  return match && marker ? { ...marker, place: match.index } : undefined;
}

/** Sentences that stand at the very beginning of a text, with those that begin the answer. */
const openings: readonly (readonly [begin: RegExp, answer: string])[] = [
  [/^(?:Here is|Here's) my thought process:/i, 'Here is my response:'],
  // GPT-OSS through a server that drops special tokens.
  [/^analysis(?=[A-Z"'“])/, 'assistantfinal'],
];

/** The sentence that begins the answer, if the text begins with thoughts that have no marker. */
export const answerAfterOpening = (text: string): string | undefined =>
  openings.find(([begin]) => begin.test(text))?.[1];
