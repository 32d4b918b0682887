import { watch } from '@botyard/shared/bus/broadcast';
import type { Bus } from '@botyard/shared/bus/bus';
import { ask } from '@botyard/shared/bus/requests';
import { admitMessages, authorizationChanged, type Refusal } from '@botyard/shared/events/tenancy';
import { LRUCache } from 'lru-cache';
import type { z } from 'zod';

export type AdmissionQuestion = z.input<typeof admitMessages.request>;
/** Why a sender isn't heard, by their name on the platform; who isn't in it is heard. */
export type Refusals = ReadonlyMap<string, Refusal>;

export interface TenancyClient {
  /** Whom of the senders the bot doesn't hear. @throws HttpError 503 when the tenancy service doesn't answer. */
  admit(question: AdmissionQuestion): Promise<Refusals>;
}

const rememberedMs = 30_000;
const nobody: Refusals = new Map();

/**
 * That nothing restricts anybody is remembered for each bot, for 30 s, and dropped at once when tenancy announces a
 * change; everything else is asked anew, because it ends by time or differs by person.
 */
export function createTenancyClient(bus: Bus): TenancyClient {
  /** Bots that hear everybody, with their tenants. */
  const unrestricted = new LRUCache<string, string>({ max: 10_000, ttl: rememberedMs });
  /** By bot, whether it hears everybody: a question that others who come meanwhile can wait for. */
  const underWay = new Map<string, Promise<boolean>>();
  // An answer that was under way when a change was announced may be from before it: it is neither remembered nor shared.
  let changes = 0;
  watch(bus, authorizationChanged, {
    onEvent: ({ tenantId }) => {
      changes += 1;
      underWay.clear();
      for (const [botId, owner] of unrestricted.entries()) if (owner === tenantId) unrestricted.delete(botId);
    },
    onGap: () => {
      changes += 1;
      underWay.clear();
      unrestricted.clear();
    },
  });

  const askNow = async (question: AdmissionQuestion) => {
    const changesBefore = changes;
    const { refusals, isUnrestricted } = await ask(bus, admitMessages, question);
    if (isUnrestricted && changes === changesBefore) unrestricted.set(question.botId, question.tenantId);
    return { refusals, isUnrestricted };
  };

  const askFirst = async (question: AdmissionQuestion): Promise<Refusals> => {
    const asked = askNow(question);
    const shared = asked.then(({ isUnrestricted }) => isUnrestricted);
    shared.catch(() => undefined);
    underWay.set(question.botId, shared);
    try {
      return byName(await asked);
    } finally {
      if (underWay.get(question.botId) === shared) underWay.delete(question.botId);
    }
  };

  return {
    admit: async (question) => {
      const { botId, tenantId } = question;
      if (unrestricted.get(botId) === tenantId) return nobody;
      const other = underWay.get(botId);
      if (!other) return await askFirst(question);
      return (await other) ? nobody : byName(await askNow(question));
    },
  };
}

const byName = ({ refusals }: z.output<typeof admitMessages.response>): Refusals =>
  new Map(refusals.map(({ platformUserId, refusal }) => [platformUserId, refusal]));
