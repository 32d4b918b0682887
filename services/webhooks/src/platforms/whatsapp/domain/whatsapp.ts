import type { WhatsAppSecrets } from '@botyard/contracts/platforms/whatsapp';
import { backoffMs } from '@botyard/shared/bus/dead-letters';
import type { Platform, Verdict } from '../../platform.ts';
import type { Deps } from '../deps.ts';
import { deletePeople } from '../store/people.ts';
import { deleteTemplates } from '../store/templates.ts';
import { checkAccount } from './check-account.ts';
import { type Connection, connector } from './connection.ts';
import { fetchFile } from './fetch-file.ts';
import { createTemplates } from './offer-templates.ts';
import type { ReplyContent } from './outgoing.ts';
import { paces } from './paces.ts';
import { accountsIn, readBody } from './read-body.ts';
import { registerNumber, removeNumber } from './register.ts';
import { createFilesOut } from './send-file.ts';
import { sendMessage } from './send-message.ts';
import { TypingMarks } from './show-typing.ts';
import { formatAnswer } from './texts.ts';
import { type Keys, verifyRequest } from './verify.ts';
import { withChoices } from './with-choices.ts';

/** The platform puts up to a thousand changes into one body of at most 3 MB. */
const maxBytes = 4 * 1024 * 1024;

export function createWhatsApp(deps: Deps): Platform<ReplyContent, WhatsAppSecrets, Connection> {
  const typing = new TypingMarks(deps);
  const appKeys = keysOfApp(deps);
  return {
    name: connector.name,
    credentials: connector.credentials,
    inbound: {
      connector,
      maxBytes,
      verifiedBy: 'body',
      methods: ['GET', 'POST'],
      hasAppAddress: appKeys.appSecrets.length > 0 || appKeys.verifyTokens.length > 0,
      verify: async (request, connection): Promise<Verdict> => {
        const verdict = verifyRequest(request, connection ?? appKeys);
        if (connection || verdict.outcome !== 'verified') return verdict;
        return { outcome: 'verified', accountIds: await accountsIn(deps, request.rawBody) };
      },
      read: (bytes, endpoint) => readBody(deps, bytes, endpoint),
    },
    registrar: {
      register: (url, secrets, known) => registerNumber(deps, url, secrets, known),
      remove: (url, secrets, attempts) => removeNumber(deps, url, secrets, attempts),
      isSameAccount: (one, other) => one.phoneNumberId === other.phoneNumberId,
      forget: deleteTemplates,
    },
    checkAccount: (trial) => checkAccount(deps, trial),
    slots: 64,
    paces,
    format: async ({ tenantId, markdown, choices, signal }) =>
      withChoices(await formatAnswer(deps, tenantId, markdown, signal), choices),
    send: (send) => sendMessage(deps, send),
    files: createFilesOut(deps),
    templates: createTemplates(deps),
    retryInMs: (attempts, worthMs) => {
      const waitMs = backoffMs(attempts);
      return waitMs < worthMs ? waitMs : undefined;
    },
    // A chat is that of its person.
    listRecipients: async (_tx, replies) =>
      new Map(replies.map(({ replyId, place }) => [replyId, place.platformChatId])),
    showTyping: (botId, place) => typing.show(botId, place),
    fetchFile: (file, read) => fetchFile(deps, file, read),
    forgetPeople: async (tx, { tenantId, platformUserIds }) => ({
      whatsapp_people: await deletePeople(tx, { tenantId, identifiers: platformUserIds }),
    }),
    isRenaming: (from, to) => from !== to,
  };
}

const keysOfApp = ({ app: { appSecret, verifyToken } }: Pick<Deps, 'app'>): Keys => ({
  appSecrets: appSecret ? [appSecret] : [],
  verifyTokens: verifyToken ? [verifyToken] : [],
});
