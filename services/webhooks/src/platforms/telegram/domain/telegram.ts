import type { IncomingHttpHeaders } from 'node:http';
import type { MessengerSecrets } from '@botyard/contracts/platforms/messenger';
import { withTenant } from '@botyard/shared/db/database';
import { Secret } from '@botyard/shared/secrets/secret';
import { showsSecret } from '../../../admission/domain/verify-secret.ts';
import { type FetchedFile, unavailableFile } from '../../clients/download.ts';
import { type FetchFile, lookupFailure } from '../../domain/fetch-file.ts';
import type { ReadCallback } from '../../domain/read-delivery.ts';
import { backOff, placesAsRecipients } from '../../domain/sending.ts';
import { withChoices } from '../../domain/with-choices.ts';
import type { Endpoint, Inbound, Platform, Verdict } from '../../platform.ts';
import type { CallResult } from '../clients/messenger.ts';
import type { Deps } from '../deps.ts';
import { insertCallback } from '../store/callbacks.ts';
import { checkAccount } from './check-account.ts';
import { type Connection, connector } from './connection.ts';
import { formatPlainReply, type ReplyPart } from './format-reply.ts';
import { paces } from './paces.ts';
import { pollUpdates } from './poll-updates.ts';
import { isMigration, mayComeFromAnother } from './read-chat-event.ts';
import { registerForPolling, registerWebhook, removeWebhook } from './register-webhook.ts';
import { createFilesOut } from './send-file.ts';
import { sendMessage } from './send-message.ts';

/** The neutral header, and the platform's own. */
const secretHeaders = ['x-messenger-bot-api-secret-token', 'x-telegram-bot-api-secret-token'];

export const createTelegram = (deps: Deps): Platform<ReplyPart, MessengerSecrets, Connection> => ({
  name: connector.name,
  credentials: connector.credentials,
  inbound: {
    connector,
    // Several times the largest update that the platform sends.
    maxBytes: 256 * 1024,
    verifiedBy: 'headers',
    verify: ({ headers }, connection) => verify(headers, connection, deps),
    read: async (bytes, { tenantId: owner, platformBotId, username }) => {
      const input = { bytes, bot: { platformBotId, username } };
      const update = await deps.texts.read('readUpdate', input, { owner, sizeBytes: bytes.length });
      return update && [update];
    },
    ...(deps.isPolling ? { poll: polling(deps) } : {}),
    notePress: (endpoint, press) => noteCallback(deps, endpoint, press),
  },
  registrar: {
    register: (url, secrets, known) =>
      deps.isPolling
        ? registerForPolling(deps.messenger, secrets, known)
        : registerWebhook(deps.messenger, url, secrets, known),
    remove: (url, { botToken }, attempts) =>
      removeWebhook(deps.messenger, url, new Secret(botToken), attempts),
    isSameAccount: (one, other) => one.platformBotId === other.platformBotId,
  },
  slots: 64,
  paces,
  format: async ({ tenantId: owner, markdown, choices, signal }) => {
    const parts = await deps.texts.format('formatReply', { owner, markdown, signal }, formatPlainReply);
    return withChoices(parts, choices);
  },
  send: (send) => sendMessage(deps, send),
  files: createFilesOut(deps),
  retryInMs: backOff,
  // In private the messenger uses the person's identifier for the chat.
  listRecipients: placesAsRecipients,
  checkAccount: (trial) => checkAccount(deps.messenger, trial),
  showTyping: async (botId, { platformChatId, threadId }) => {
    const endpoint = await deps.endpoints.find(connector, botId);
    if (endpoint) await deps.messenger.sendTyping(endpoint.botToken, { platformChatId, threadId });
  },
  fetchFile: fetching(deps),
  isRenaming: isMigration,
  mayBeRenamed: mayComeFromAnother,
});

const polling =
  ({ messenger }: Pick<Deps, 'messenger'>): NonNullable<Inbound<Connection>['poll']> =>
  (connection, asked) =>
    pollUpdates(messenger, connection, asked);

function verify(
  headers: IncomingHttpHeaders,
  connection: Connection | undefined,
  options: { isProduction: boolean },
): Verdict {
  const presented = secretHeaders.map((name) => headers[name]?.toString());
  return connection && showsSecret(presented, connection.secretHashes, options)
    ? { outcome: 'verified' }
    : { outcome: 'refused', reason: 'wrong secret' };
}

/**
 * Requests a file's location from the platform and downloads it. The address is only known here, and only during the
 * download.
 */
const fetching =
  ({ endpoints, messenger, messengerFiles }: Deps): FetchFile =>
  async ({ botId, fileRef, maxBytes, signal }, read) => {
    const endpoint = await endpoints.find(connector, botId);
    if (!endpoint) return unavailableFile;
    const { botToken: token } = endpoint;
    const lookup = await messenger.getFile(token, fileRef);
    if (lookup.outcome !== 'ok') return refusalOf(lookup);
    const { filePath, sizeBytes = 0 } = lookup.result;
    if (sizeBytes > maxBytes) return { outcome: 'refused', reason: 'too_large' };
    if (filePath === undefined) return unavailableFile;
    return await messengerFiles({ token, filePath, maxBytes, signal }, read);
  };

function refusalOf(result: Exclude<CallResult<unknown>, { outcome: 'ok' }>): FetchedFile<never> {
  if (result.outcome !== 'refused') return lookupFailure(result);
  // A revoked token may be replaced soon.
  if (result.status === 401) return { outcome: 'failed', reason: result.reason };
  return { outcome: 'refused', reason: /too big/i.test(result.reason) ? 'too_large' : 'unavailable' };
}

/** Records that a pressed button has to be acknowledged. @throws when the database doesn't answer in time. */
async function noteCallback(
  deps: Pick<Deps, 'admissionDatabase' | 'wakeCallbacks'>,
  { tenantId, botId }: Endpoint,
  { callbackQueryId }: ReadCallback,
): Promise<void> {
  await withTenant(deps.admissionDatabase, [tenantId], async (tx) => {
    await insertCallback(tx, { tenantId, botId, callbackQueryId });
    tx.afterCommit(deps.wakeCallbacks);
  });
}
