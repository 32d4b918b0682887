import type { WireAnswer } from './answers.ts';
import { agentOf, type RawRequest } from './raw-request.ts';

/**
 * True for targets that may be reached without a principal (REQ-GATE-1): plain segments under a public prefix or under
 * /webhooks. This code is independent of the gateway's.
 */
export function isOpenTarget(url: string): boolean {
  const [path = ''] = url.split('?');
  const [empty, ...segments] = path.replace(/\/$/, '').split('/');
  if (empty !== '' || url.includes('#')) return false;
  if (segments.some((segment) => !/^[A-Za-z0-9._~-]+$/.test(segment) || /^\.{1,2}$/.test(segment)))
    return false;
  const [first = '', second = ''] = segments.map(asciiLower);
  return first === 'webhooks' || (first === 'api' && publicWords.includes(second));
}

const publicWords = ['health', 'otel', 'messenger-auth', 'email-auth'];
const asciiLower = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** Returns the fault of a response, or `undefined` if there is none. */
export function faultOf(request: RawRequest, answer: WireAnswer | 'closed' | 'silent'): string | undefined {
  if (answer === 'closed') return request.framing === 'plain' ? 'closed without an answer' : undefined;
  if (answer === 'silent') return request.framing === 'silent' ? undefined : 'no answer within 15 s';
  const { status, head } = answer;
  if (!(status >= 200 && status < 600)) return `no answer of HTTP: ${JSON.stringify(head.slice(0, 100))}`;
  if (status >= 500 && !isDocumented(request, status)) return `answered ${status}`;
  const [, handled] = /\r\nx-handled: (.*)/.exec(head) ?? [];
  if (handled !== undefined && handled !== agentOf(request.number))
    return `has the answer to another request, ${handled}`;
  return undefined;
}

/** 503: no collector is configured here. 501: an unknown transfer encoding (RFC 9112, 6.1). */
function isDocumented({ target, headers }: RawRequest, status: number): boolean {
  if (status === 503) return /^\/api\/otel(?:[/?]|$)/i.test(target);
  return status === 501 && headers.some((line) => /transfer-encoding/i.test(line));
}
