import { withTenant } from '@botyard/shared/db/database';
import { findForSend, unsent } from '../../domain/sending.ts';
import type { Send, SendResult } from '../../platform.ts';
import type { CallResult } from '../clients/answers.ts';
import type { Deps } from '../deps.ts';
import { type KnownPerson, listPeople, type OfNumber } from '../store/people.ts';
import { accessOf } from './access.ts';
import { connector, type WhatsAppEndpoint } from './connection.ts';
import { KnownPeople } from './known-people.ts';
import { messageOf, type ReplyContent } from './outgoing.ts';
import { closedWindow, failureOf } from './read-status.ts';
import { personShape } from './shapes.ts';

export type SendDeps = Pick<Deps, 'endpoints' | 'graph' | 'log' | 'database'>;
type Answer = CallResult<{ platformMessageId: string | undefined }>;

const windowMs = 24 * 3600 * 1000;
/** Near the end of the window the platform decides: its clock counts. */
const toleranceMs = 5 * 60 * 1000;

/** Sends one message to the person's number while it is known, and otherwise to their identifier. */
export async function sendMessage(deps: SendDeps, send: Send<ReplyContent>): Promise<SendResult | undefined> {
  const { payload } = send;
  const address = await findAddress(deps, send, { needsWindow: !payload.template });
  if ('outcome' in address) return address;
  if (!(await send.mayCall())) return undefined;
  const { endpoint, addressee } = address;
  const message = { ...addressee, ...messageOf(payload) };
  const { phoneNumberId } = endpoint;
  const answer = await deps.graph.sendMessage(accessOf(endpoint), phoneNumberId, message, send.signal);
  return resultOf(answer, send);
}

interface Address {
  endpoint: WhatsAppEndpoint;
  addressee: { to: string } | { recipient: string };
}

/** From where and to whom a message goes, or its outcome if that can't be sent or isn't known now. */
export async function findAddress(
  deps: SendDeps,
  { botId, platformChatId }: Pick<Send, 'botId' | 'platformChatId'>,
  { needsWindow }: { needsWindow: boolean },
): Promise<Address | SendResult> {
  const sender = await findForSend(deps.log, botId, async () => {
    const endpoint = await deps.endpoints.find(connector, botId);
    return endpoint && { endpoint, person: await findPerson(deps, endpoint, platformChatId) };
  });
  if ('outcome' in sender) return sender;
  const { endpoint, person } = sender;
  if (needsWindow && isClosed(person)) return { outcome: 'refused', reason: closedWindow, isOfReply: true };
  return { endpoint, addressee: addresseeOf(platformChatId, person) };
}

/** The person behind a chat, under the identifier that they have now. */
export async function findPerson(
  { database }: Pick<Deps, 'database'>,
  endpoint: OfNumber,
  platformChatId: string,
): Promise<KnownPerson | undefined> {
  const rows = await withTenant(database, [endpoint.tenantId], (tx) =>
    listPeople(tx, endpoint, [platformChatId]),
  );
  const personId = new KnownPeople(rows, new Date()).find({ userId: platformChatId });
  return rows.find((row) => row.personId === personId);
}

/** Whether the platform takes only templates for the person. */
export const isClosed = (person: KnownPerson | undefined): boolean =>
  !!person?.lastMessageAt && person.lastMessageAt.getTime() + windowMs + toleranceMs < Date.now();

/** The platform takes a number in one field, and an identifier in another. */
function addresseeOf(
  platformChatId: string,
  person: KnownPerson | undefined,
): { to: string } | { recipient: string } {
  const personId = person?.personId ?? platformChatId;
  const phone = person?.phone ?? (personShape.test(personId) ? null : personId);
  return phone === null ? { recipient: personId } : { to: phone };
}

export function resultOf(answer: Answer, { send }: Pick<Send, 'send'>): SendResult {
  switch (answer.outcome) {
    case 'ok':
      return { outcome: 'sent', platformMessageId: answer.result.platformMessageId };
    case 'limited':
      return {
        outcome: 'waits',
        waitMs: answer.retryAfterMs ?? waitMsAfter(send),
        reason: `the platform asks to wait (${answer.code})`,
        isAsked: true,
      };
    case 'refused':
      return refusalOf(answer);
    case 'failed':
      return unsent(answer);
  }
}

/** The platform names no time, and advises to wait four times as long after each refusal. */
const waitMsAfter = (send: number): number => Math.max(6000, Math.min(4 ** send, 600) * 1000);

/** The person or the number can get nothing: every other message would be refused, too. */
const codesOfPlace = [131026, 131030, 130497];
/** A token that is no longer valid may be replaced soon. */
const codesOfToken = [0, 190];

function refusalOf({ code, reason, details }: Extract<Answer, { outcome: 'refused' }>): SendResult {
  const said = failureOf([{ code, message: reason, error_data: { details } }]);
  if (codesOfToken.includes(code)) return { outcome: 'failed', reason: said, isUnclear: false };
  const isOfPlace = codesOfPlace.includes(code);
  return { outcome: 'refused', reason: said, isOfPlace, isOfReply: !isOfPlace && code === 131047 };
}
