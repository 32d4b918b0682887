import type { SearchHit } from '@botyard/contracts/http/interactions-shapes';
import type { TenantTx } from '@botyard/shared/db/database';
import { listHits } from '../store/search-hits.ts';

/** The sentence in which each of these conversations has the text, by the conversation's id. */
export async function findHits(
  tx: TenantTx,
  wanted: { tenantId: string; conversationIds: readonly string[]; q: string },
): Promise<Map<string, SearchHit>> {
  const rows = await listHits(tx, wanted);
  return new Map(
    rows.map(({ conversationId, messageId, excerpt }) => [
      conversationId,
      { messageId, ...sentenceOf(excerpt, wanted.q) },
    ]),
  );
}

/** A text around what was searched for: at most a sentence, in one line. */
export function sentenceOf(excerpt: string, q: string): Omit<SearchHit, 'messageId'> {
  const literal = q.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const place = new RegExp(literal, 'iu').exec(excerpt);
  // Letters that only Postgres takes for the same are not marked.
  if (!place) return { before: lineOf(excerpt), match: '', after: '' };
  const [before, after] = [excerpt.slice(0, place.index), excerpt.slice(place.index + place[0].length)];
  const begin = Math.max(...[...before.matchAll(ends)].map(({ index, 0: end }) => index + end.length), 0);
  const end = after.search(ends);
  return {
    before: lineOf(before.slice(begin)).trimStart(),
    match: place[0],
    after: lineOf(end < 0 ? after : after.slice(0, end + 1)).trimEnd(),
  };
}

/** The end of a sentence, or of a line. */
const ends = /[.!?…。]\s|\n/gu;

const lineOf = (text: string): string => text.replaceAll(/\s+/gu, ' ');
