import type { Request } from './cedar.ts';
import { maxFactLength } from './limits.ts';
import { toAccessRequest, toMessageRequest } from './requests.ts';

const maxSubjects = 3;
const pattern = /\blike\s*"((?:[^"\\]|\\.)*)"/gs;

/**
 * Requests that a set may be asked about: one for each action, whose strings are those that the set's longest patterns
 * work hardest on (for `*aab*` as many `a` as there may be).
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
    toMessageRequest(
      {
        tenantId: 't',
        bot: { botId: 'b', name: subject, isEnabled: true },
        platform: 'messenger',
        chatKind: 'private',
        platformChatId: subject,
        sender: { platformUserId: subject, name: subject },
      },
      now,
    ),
  ]);
}

/** A matcher that goes back does so most in a text that repeats all of a piece but its end. */
function hardSubjects(texts: readonly string[]): string[] {
  const pieces = texts
    .flatMap((text) => [...text.matchAll(pattern)].flatMap(([, found = '']) => found.split('*')))
    .filter((piece) => piece.length > 1)
    .sort((a, b) => b.length - a.length);
  return [...new Set(pieces.map((piece) => piece.slice(0, -1)))]
    .slice(0, maxSubjects)
    .map((piece) => piece.repeat(Math.ceil(maxFactLength / piece.length)).slice(0, maxFactLength));
}
