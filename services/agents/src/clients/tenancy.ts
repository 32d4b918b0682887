import { admitMessages, authorizationChanged, type Refusal } from '@botyard/contracts/events/tenancy';
import { watch } from '@botyard/shared/bus/broadcast';
import type { Bus } from '@botyard/shared/bus/bus';
import { Remembered } from '@botyard/shared/bus/remembered';
import { ask } from '@botyard/shared/bus/requests';
import type { z } from 'zod';

type AdmissionQuestion = z.input<typeof admitMessages.request>;
/** The reason for each refused sender, by their identifier on the platform. Senders who aren't listed are admitted. */
export type Refusals = ReadonlyMap<string, Refusal>;

export interface TenancyClient {
  /**
   * Returns the senders whom the bot ignores, with the reasons. @throws HttpError 503 when the tenancy service doesn't
   * answer.
   */
  admit(question: AdmissionQuestion): Promise<Refusals>;
}

const nobody: Refusals = new Map();

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

  return {
    admit: async (question) => {
      const { botId, tenantId } = question;
      if (unrestricted.get(tenantId, botId)) return nobody;
      const other = inFlight.get(botId);
      if (!other) return await askFirst(question);
      return (await other) ? nobody : byName(await askNow(question));
    },
  };
}

const byName = ({ refusals }: z.output<typeof admitMessages.response>): Refusals =>
  new Map(refusals.map(({ platformUserId, refusal }) => [platformUserId, refusal]));
