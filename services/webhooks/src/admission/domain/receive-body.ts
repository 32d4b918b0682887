import { chatKeyOf } from '@botyard/contracts/http/platform';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { badRequest } from '@botyard/shared/http/errors';
import { conversationIdOf } from '../../chats/domain/conversation-id.ts';
import { findFormerChatId } from '../../chats/store/chat-moves.ts';
import { noteFirstDelivery } from '../../endpoints/domain/first-delivery.ts';
import type { Endpoint, Inbound, Platform } from '../../platforms/platform.ts';
import type { Deps } from '../deps.ts';
import { type Delivery, hasConversation } from '../store/admission.ts';
import type { Received } from './admission.ts';
import { type Addressed, changeOf, receiveChange } from './changes.ts';
import { draftDelivery, type KnownDelivery } from './draft-delivery.ts';
import { hearingOf } from './group-rules.ts';

export type ReceiveDeps = Pick<
  Deps,
  | 'admission'
  | 'admissionDatabase'
  | 'bus'
  | 'database'
  | 'endpoints'
  | 'outbox'
  | 'ambientMessages'
  | 'platforms'
  | 'wakeSender'
  | 'wakeMedia'
  | 'wakeChecker'
>;

export interface Receiver {
  platform: Platform;
  inbound: Inbound;
}

export interface Body {
  bytes: Uint8Array;
  contentType: string | undefined;
}

/** Asks the database one question. */
type Ask = <Result>(question: (tx: TenantTx) => Promise<Result>) => Promise<Result>;

/**
 * Admits all deliveries in a verified body (REQ-HOOK-3). Resolves after every commit. If one fails the platform sends
 * the body again, and what was admitted is then a duplicate.
 * @throws HttpError 400 if the body isn't one of the platform, 503 when the database doesn't answer.
 */
export async function receiveBody(
  deps: ReceiveDeps,
  { platform, inbound }: Receiver,
  endpoints: readonly Endpoint[],
  { bytes, contentType }: Body,
): Promise<Received[]> {
  const addressed: Addressed[] = [];
  const malformed: Received[] = [];
  for (const endpoint of endpoints) {
    const deliveries = await inbound.read(bytes, endpoint, contentType);
    if (!deliveries) throw badRequest('the body is not valid JSON');
    for (const delivery of deliveries) {
      if ('malformed' in delivery) malformed.push({ verdict: 'malformed' });
      else addressed.push({ endpoint, delivery });
    }
  }
  for (const { endpoint, delivery } of addressed) {
    // The person's client waits for this acknowledgement, so it is sent for every press.
    if ('callback' in delivery) await inbound.notePress?.(endpoint, delivery.callback);
  }
  const ofTenants = Map.groupBy(addressed, ({ endpoint }) => endpoint.tenantId);
  const commits = await Promise.allSettled(
    [...ofTenants].map(([tenantId, own]) => receiveOfTenant(deps, platform, tenantId, own)),
  );
  const received = commits.map((commit) => {
    if (commit.status === 'rejected') throw commit.reason;
    return commit.value;
  });
  for (const endpoint of endpoints) await noteFirstDelivery(deps, endpoint);
  return [...malformed, ...received.flat()];
}

/**
 * Admits what an adapter has received in a route of its own, as one body. Resolves after the commit.
 * @throws HttpError 503 when the database doesn't answer.
 */
export async function receiveRead(
  deps: ReceiveDeps,
  platform: Platform,
  endpoint: Endpoint,
  deliveries: readonly KnownDelivery[],
): Promise<Received[]> {
  const addressed = deliveries.map((delivery) => ({ endpoint, delivery }));
  const received = await receiveOfTenant(deps, platform, endpoint.tenantId, addressed);
  await noteFirstDelivery(deps, endpoint);
  return received;
}

/**
 * Receives deliveries in their order: messages after a change belong to the changed chat. News of sent messages come
 * last: one of a message that is still being sent is a reason for a 503.
 */
async function receiveOfTenant(
  deps: ReceiveDeps,
  platform: Platform,
  tenantId: string,
  addressed: readonly Addressed[],
): Promise<Received[]> {
  const received: Received[] = [];
  let messages: Addressed[] = [];
  const isNewsOfSent = ({ delivery }: Addressed) => 'status' in delivery || 'rating' in delivery;
  const inOrder = [...addressed.filter((one) => !isNewsOfSent(one)), ...addressed.filter(isNewsOfSent)];
  for (const one of inOrder) {
    const change = changeOf(one.delivery);
    if (change) {
      received.push(...(await receiveMessages(deps, platform, tenantId, messages)));
      received.push(await receiveChange(deps, one, change));
      messages = [];
    } else messages.push(one);
  }
  received.push(...(await receiveMessages(deps, platform, tenantId, messages)));
  return received;
}

/** Receives messages and edits. They are admitted together with those of other bodies. */
async function receiveMessages(
  deps: ReceiveDeps,
  platform: Platform,
  tenantId: string,
  addressed: readonly Addressed[],
): Promise<Received[]> {
  const ask: Ask = (question) =>
    withTenant(deps.admissionDatabase, [tenantId], question, { isOneRoundTrip: true });
  const begun = new Set<string>();
  const prepared: (Received | Delivery)[] = [];
  for (const one of addressed) prepared.push(await prepare(deps, platform, one, ask, begun));
  const drafts = prepared.filter((one) => 'draft' in one);
  const verdicts = drafts.length === 0 ? [] : await deps.admission.admit(drafts);
  if (drafts.some(({ media }, index) => media && verdicts[index] === 'accepted')) deps.wakeMedia();
  const settled = new Map(drafts.map((draft, index) => [draft.deliveryId, verdicts[index]!]));
  return prepared.map((one) => ('draft' in one ? { verdict: settled.get(one.deliveryId)! } : one));
}

/** The event of a delivery, or the reason why it is ignored. `begun`: conversations of earlier ones of its body. */
async function prepare(
  deps: ReceiveDeps,
  platform: Platform,
  { endpoint, delivery }: Addressed,
  ask: Ask,
  begun: Set<string>,
): Promise<Received | Delivery> {
  const { eventId, alsoKnownAs } = delivery;
  const said = 'callback' in delivery ? { eventId, alsoKnownAs, ...delivery.callback } : delivery;
  if ('ignored' in said) return { verdict: 'ignored', reason: said.ignored };
  if (!('message' in said || 'edit' in said)) return { verdict: 'ignored', reason: 'unsupported' };
  if (!endpoint.isEnabled) return { verdict: 'ignored', reason: 'integration disabled' };
  const message = 'edit' in said ? said.edit : said.message;
  const { tenantId, botId } = endpoint;
  const { platformChatId } = message.chat;
  const mayBeRenamed = platform.mayBeRenamed?.(platformChatId) ?? platform.isRenaming !== undefined;
  const formerChatId = mayBeRenamed
    ? await ask((tx) => findFormerChatId(tx, { ...endpoint, platformChatId }))
    : undefined;
  const conversationId = conversationIdOf(endpoint, formerChatId ?? platformChatId, message.chat);
  const takesPart = async () =>
    begun.has(conversationId) || (await ask((tx) => hasConversation(tx, { tenantId, conversationId })));
  const hearing = hearingOf(message, endpoint.openGroups);
  const isForBot = hearing === 'thread' ? await takesPart() : hearing !== 'none';
  if (!isForBot) return { verdict: 'ignored', reason: 'not addressed to the bot' };
  const isOverheard = hearing === 'overheard';
  if (isOverheard && !deps.ambientMessages.admits(botId, chatKeyOf(platform.name, platformChatId))) {
    return { verdict: 'ignored', reason: 'overheard too much' };
  }
  begun.add(conversationId);
  return draftDelivery(deps, platform, endpoint, said, { conversationId, formerChatId, isOverheard });
}
