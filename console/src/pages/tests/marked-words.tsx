import { Fragment } from 'react';

interface MarkedWordsProps {
  text: string;
  /** Placeholders, which stand for something else. */
  replaced: readonly string[];
  /** Texts that look personal. */
  doubtful: readonly string[];
}

const maxMarks = 200;

/** A text with its placeholders and its doubtful words marked. */
export function MarkedWords({ text, replaced, doubtful }: MarkedWordsProps) {
  return (
    <p dir="auto" className="overflow-x-clip text-sm [overflow-wrap:anywhere] whitespace-pre-wrap">
      {partsOf(text, { replaced, doubtful }).map(({ part, look, at }) => (
        <Fragment key={at}>
          {look === undefined ? part : <mark className={looks[look]}>{part}</mark>}
        </Fragment>
      ))}
    </p>
  );
}

const looks = {
  replaced: 'rounded bg-good-tint px-0.5 text-good',
  doubtful: 'rounded bg-warn-tint px-0.5 text-warn underline decoration-dotted',
} as const;

interface Part {
  part: string;
  look?: keyof typeof looks;
  at: number;
}

function partsOf(text: string, words: Pick<MarkedWordsProps, 'replaced' | 'doubtful'>): Part[] {
  const wanted = (['replaced', 'doubtful'] as const)
    .flatMap((look) => words[look].map((word) => ({ word, look })))
    .filter(({ word }) => word !== '')
    .sort((one, other) => other.word.length - one.word.length);
  const parts: Part[] = [];
  let from = 0;
  while (from < text.length && parts.length < maxMarks * 2) {
    const next = nearest(text, from, wanted);
    if (!next) break;
    if (next.at > from) parts.push({ part: text.slice(from, next.at), at: from });
    parts.push({ part: next.word, look: next.look, at: next.at });
    from = next.at + next.word.length;
  }
  return from < text.length ? [...parts, { part: text.slice(from), at: from }] : parts;
}

function nearest(text: string, from: number, wanted: readonly { word: string; look: keyof typeof looks }[]) {
  let best: { word: string; look: keyof typeof looks; at: number } | undefined;
  for (const { word, look } of wanted) {
    const at = text.indexOf(word, from);
    if (at >= 0 && (!best || at < best.at)) best = { word, look, at };
  }
  return best;
}
