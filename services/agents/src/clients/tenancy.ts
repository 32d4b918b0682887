import { admitMessages, authorizationChanged, type Refusal } from '@botyard/contracts/events/tenancy';
import { watch } from '@botyard/shared/bus/broadcast';
import type { Bus } from '@botyard/shared/bus/bus';
import { Remembered } from '@botyard/shared/bus/remembered';
import { ask } from '@botyard/shared/bus/requests';
import type { z } from 'zod';

type AdmissionQuestion = z.input<typeof admitMessages.request>;
/** Reasons by the identifiers of refused senders on the platform. */
type Refusals = ReadonlyMap<string, Refusal>;
type Sender = AdmissionQuestion['senders'][number];
type Chat = Pick<AdmissionQuestion, 'tenantId' | 'botId' | 'platform'> & { place: AdmissionQuestion['chat'] };

export interface TenancyClient {
  /**
   * Returns why the bot ignores each of these senders of a chat, and `null` for those whom it admits.
   * @throws HttpError 503 when the tenancy service doesn't answer.
   */
  admit(chat: Chat, senders: readonly (Sender | null)[]): Promise<(Refusal | null)[]>;
}

const nobody: Refusals = new Map();
/** The sender of a message that has none: no grant or mute can match it. */
const unnamed: Sender = { platformUserId: '', name: '' };

/**
 * Caches which bots have no restriction at all. Every other answer expires or differs by person, so it is requested
 * each time.
 */
export function createTenancyClient(bus: Bus): TenancyClient {
  const unrestricted = new Remembered<true>(bus);
  /**
   * Pending requests on whether a bot admits everybody, by bot. Later callers share them, unless a change was
   * announced.
   */
  const inFlight = new Map<string, Promise<boolean>>();
  watch(bus, authorizationChanged, {
    onEvent: (change) => {
      inFlight.clear();
      unrestricted.onEvent(change);
    },
    onGap: () => {
      inFlight.clear();
      unrestricted.onGap();
    },
  });

  const askNow = async (question: AdmissionQuestion) => {
    const remember = unrestricted.asking(question.tenantId, question.botId);
    const { refusals, isUnrestricted } = await ask(bus, admitMessages, question);
    if (isUnrestricted) remember(true);
    return { refusals, isUnrestricted };
  };

  const askFirst = async (question: AdmissionQuestion): Promise<Refusals> => {
    const pendingDecision = askNow(question);
    const shared = pendingDecision.then(({ isUnrestricted }) => isUnrestricted);
    shared.catch(() => undefined);
    inFlight.set(question.botId, shared);
    try {
      return byName(await pendingDecision);
    } finally {
      if (inFlight.get(question.botId) === shared) inFlight.delete(question.botId);
    }
  };

  const refusalsOf = async (question: AdmissionQuestion): Promise<Refusals> => {
    const { botId, tenantId } = question;
    if (unrestricted.get(tenantId, botId)) return nobody;
    const other = inFlight.get(botId);
    if (!other) return await askFirst(question);
    return (await other) ? nobody : byName(await askNow(question));
  };

  return {
    admit: async ({ tenantId, botId, platform, place }, senders) => {
      const { platformChatId, kind, migratedFrom } = place;
      const all = senders.map((sender) => sender ?? unnamed);
      const once = new Map(all.map(({ platformUserId, name }) => [platformUserId, { platformUserId, name }]));
      const refusals = await refusalsOf({
        tenantId,
        botId,
        platform,
        chat: { platformChatId, kind, migratedFrom },
        senders: [...once.values()],
      });
      return all.map(({ platformUserId }) => refusals.get(platformUserId) ?? null);
    },
  };
}

const byName = ({ refusals }: z.output<typeof admitMessages.response>): Refusals =>
  new Map(refusals.map(({ platformUserId, refusal }) => [platformUserId, refusal]));
