import type { WhatsAppSecrets } from '@botyard/contracts/platforms/whatsapp';
import { backOff, placesAsRecipients } from '../../domain/sending.ts';
import type { Platform, Verdict } from '../../platform.ts';
import type { Deps } from '../deps.ts';
import { deletePeople } from '../store/people.ts';
import { deleteTemplates } from '../store/templates.ts';
import { checkAccount } from './check-account.ts';
import { type Connection, connector } from './connection.ts';
import { fetching } from './fetch-file.ts';
import { formatPlainReply } from './format-reply.ts';
import { createTemplates } from './offer-templates.ts';
import type { ReplyContent } from './outgoing.ts';
import { paces } from './paces.ts';
import { accountsIn, readBody } from './read-body.ts';
import { registerNumber, removeNumber } from './register.ts';
import { createFilesOut } from './send-file.ts';
import { sendMessage } from './send-message.ts';
import { TypingMarks } from './show-typing.ts';
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
    format: async ({ tenantId: owner, markdown, choices, signal }) => {
      const parts = await deps.texts.format('formatWhatsApp', { owner, markdown, signal }, formatPlainReply);
      return withChoices(parts, choices);
    },
    send: (send) => sendMessage(deps, send),
    files: createFilesOut(deps),
    templates: createTemplates(deps),
    retryInMs: backOff,
    // A chat is that of its person.
    listRecipients: placesAsRecipients,
    showTyping: (botId, place) => typing.show(botId, place),
    fetchFile: fetching(deps),
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
