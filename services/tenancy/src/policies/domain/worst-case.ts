import { platformNames } from '@botyard/contracts/platform-names';
import type { Request } from './cedar.ts';
import { maxFactLength } from './limits.ts';
import { toAccessRequest, toMessageRequest } from './requests.ts';

const maxSubjects = 3;
const pattern = /\blike\s*"((?:[^"\\]|\\.)*)"/gs;

/**
 * Sample requests for a set: one per action, and one per platform for messages, with the strings on which the set's
 * longest patterns are slowest (for `*aab*` as many `a` as possible).
 */
export function sampleRequests(texts: readonly string[] = []): Request[] {
  const now = new Date();
  return ['1', ...hardSubjects(texts)].flatMap((subject) => [
    ...(['read', 'manage'] as const).map((action) =>
      toAccessRequest(
        {
          caller: { userId: 'u', idpUserId: subject, isOperator: false },
          action,
          request: { address: '192.0.2.1', router: 'bots', method: 'GET' },
        },
        { tenantId: 't', botId: 'b', relation: 'admin' },
        { bot: { botId: 'b', name: subject, isEnabled: true }, now },
      ),
    ),
    ...platformNames.map((platform) =>
      toMessageRequest(
        {
          tenantId: 't',
          bot: { botId: 'b', name: subject, isEnabled: true },
          platform,
          chatKind: 'private',
          platformChatId: subject,
          sender: { platformUserId: subject, name: subject },
        },
        now,
      ),
    ),
  ]);
}

/** A backtracking matcher is slowest on a text that repeats a piece without its last character. */
function hardSubjects(texts: readonly string[]): string[] {
  const longest: string[] = [];
  for (const text of texts)
    for (const [, literal = ''] of text.matchAll(pattern))
      for (const piece of literal.split('*')) keepLongest(longest, piece.slice(0, -1));
  return longest.map((piece) =>
    piece.repeat(Math.ceil(maxFactLength / piece.length)).slice(0, maxFactLength),
  );
}

/** Keeps the few longest pieces, longest first; among equal ones, the earliest. */
function keepLongest(longest: string[], piece: string): void {
  const shortest = longest[maxSubjects - 1]?.length ?? 0;
  if (piece.length <= shortest || longest.includes(piece)) return;
  const place = longest.findIndex((kept) => kept.length < piece.length);
  longest.splice(place === -1 ? longest.length : place, 0, piece);
  longest.splice(maxSubjects);
}
