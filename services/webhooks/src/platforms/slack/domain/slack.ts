import type { SlackSecrets } from '@botyard/contracts/platforms/slack';
import { unavailable } from '@botyard/shared/http/errors';
import { z } from 'zod';
import type { ReadDelivery } from '../../domain/read-delivery.ts';
import { backOff, placesAsRecipients } from '../../domain/sending.ts';
import { withChoices } from '../../domain/with-choices.ts';
import type { InboundRequest, Platform, TypingPlace, Verdict } from '../../platform.ts';
import type { Deps } from '../deps.ts';
import { checkEnteredToken } from './check-account.ts';
import type { Connection, SlackEndpoint } from './connection.ts';
import { fetching } from './fetch-file.ts';
import { formatReply, type ReplyPart } from './format-reply.ts';
import { paces } from './paces.ts';
import { accountIdsOf, type Payload, readPayload } from './payload.ts';
import { isChannel, isDirect } from './place.ts';
import { readDeliveries } from './read-deliveries.ts';
import { createFilesOut } from './send-file.ts';
import { sendMessage } from './send-message.ts';
import { reasonToRefuse } from './verify.ts';

export const createSlack = (deps: Deps): Platform<ReplyPart, SlackSecrets, Connection> => ({
  name: deps.connector.name,
  credentials: deps.connector.credentials,
  inbound: {
    connector: deps.connector,
    // Several times the longest message that the platform allows.
    maxBytes: 512 * 1024,
    verifiedBy: 'body',
    hasAppAddress: deps.appSigningSecret !== undefined,
    verify: (request, connection) => verify(deps, request, connection),
    read: (bytes, endpoint) => read(deps, bytes, endpoint),
    // A command or a press shows the words of the answer to the person.
    answer: () => ({ contentType: 'text/plain; charset=utf-8', body: '' }),
  },
  checkAccount: ({ credentials: { botToken = '' }, signal }) =>
    checkEnteredToken(deps.slack, { botToken }, signal),
  installer: deps.installer,
  renewer: deps.renewer,
  slots: 64,
  paces,
  format: async ({ markdown, choices }) => withChoices(formatReply(markdown), choices),
  send: (send) => sendMessage(deps, send),
  files: createFilesOut(deps),
  retryInMs: backOff,
  listRecipients: placesAsRecipients,
  showTyping: (botId, place) => showTyping(deps, botId, place),
  fetchFile: fetching(deps),
  // A channel that becomes shared with other workspaces gets another identifier.
  isRenaming: (from, to) => isChannel(from) && isChannel(to) && !isDirect(from) && !isDirect(to),
  mayBeRenamed: (platformChatId) => !isDirect(platformChatId),
});

const maxUnitsOfChallenge = 200;

function verify(
  { appSigningSecret }: Pick<Deps, 'appSigningSecret'>,
  { headers, rawBody }: InboundRequest,
  connection: SlackEndpoint | undefined,
): Verdict {
  const secrets = connection?.signingSecrets ?? [appSigningSecret].filter((secret) => secret !== undefined);
  const reason = reasonToRefuse(headers, rawBody, secrets);
  if (reason) return { outcome: 'refused', reason };
  const payload = readPayload(rawBody);
  const accountIds = payload ? accountIdsOf(payload) : [];
  if (payload?.kind !== 'challenge' && payload?.kind !== 'check') return { outcome: 'verified', accountIds };
  // Only what the platform makes is repeated: never markup.
  const challenge = payload.kind === 'challenge' ? payload.challenge.slice(0, maxUnitsOfChallenge) : '';
  const body = /^[\w.-]*$/.test(challenge) ? challenge : '';
  return { outcome: 'answered', status: 200, contentType: 'text/plain; charset=utf-8', body };
}

async function read(
  deps: Pick<Deps, 'names' | 'slack' | 'newest'>,
  bytes: Uint8Array,
  endpoint: SlackEndpoint,
): Promise<readonly ReadDelivery[] | null> {
  const payload = readPayload(bytes);
  if (!payload) return null;
  // An app with one signing secret may be installed in several workspaces.
  if (!isForAccount(payload, endpoint)) return [{ eventId: 'other', ignored: 'for another workspace' }];
  const deliveries = await deps.names.readWith(
    endpoint,
    (names) => readDeliveries(payload, { bot: endpoint, names, now: new Date() }),
    (result) => result.some(hasNames),
  );
  for (const delivery of deliveries)
    if ('message' in delivery) deps.newest.note(endpoint.botId, delivery.message);
  const isEnd = deliveries.some((delivery) => 'account' in delivery);
  return isEnd && (await stillWorks(deps, endpoint))
    ? deliveries.map((delivery) =>
        'account' in delivery
          ? { eventId: delivery.eventId, ignored: 'the end of an earlier installation' }
          : delivery,
      )
    : deliveries;
}

const isForAccount = (payload: Payload, { accountId }: SlackEndpoint): boolean =>
  payload.kind === 'other' || accountIdsOf(payload).includes(accountId);

const hasNames = (delivery: ReadDelivery): boolean =>
  'message' in delivery || 'edit' in delivery || 'callback' in delivery;

/**
 * Whether the bot's token is valid. The events of an app's end may come after it was installed again, and in any order.
 * @throws HttpError 503 when the platform doesn't say it, so that the event comes again.
 */
async function stillWorks({ slack }: Pick<Deps, 'slack'>, { botToken }: SlackEndpoint): Promise<boolean> {
  const answer = await slack({ method: 'auth.test', token: botToken, timeoutMs: 2000, answer: z.unknown() });
  if (answer.outcome === 'ok') return true;
  if (answer.outcome === 'refused') return false;
  throw unavailable('the state of the token is not known: try again later');
}

/** The status of the bot in a thread, which ends with its next message. Outside of a thread there is none. */
async function showTyping(
  { endpoints, connector, slack, newest }: Deps,
  botId: string,
  { platformChatId, threadId }: TypingPlace,
): Promise<void> {
  const endpoint = await endpoints.find(connector, botId);
  const threadTs = threadId ?? newest.find(botId, platformChatId);
  if (!endpoint || threadTs === undefined) return;
  await slack({
    method: 'assistant.threads.setStatus',
    token: endpoint.botToken,
    json: { channel_id: platformChatId, thread_ts: threadTs, status: 'is typing…' },
    scope: platformChatId,
    answer: z.unknown(),
  });
}
