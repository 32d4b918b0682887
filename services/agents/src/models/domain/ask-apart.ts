import { v7 as uuidv7 } from 'uuid';
import type { WantedKey } from '../../clients/keys.ts';
import type { QuotaQuestion } from '../../clients/usage.ts';
import type { TokenUse } from '../clients/wire.ts';
import type { Deps } from '../deps.ts';
import { askModel, type ModelOutcome, type ModelQuestion } from './ask-model.ts';
import { countApart } from './count-apart.ts';
import { KeyTrail } from './key-trail.ts';
import { createReserve, type Reserve } from './quota.ts';

interface AskedCounted {
  wanted: WantedKey;
  /** The bot whose quota counts, or `noBotId`. */
  botId: string;
  question: Omit<ModelQuestion, 'model'>;
  /** The reservation: its size, and how long it lasts if the process dies. */
  estimate: QuotaQuestion['estimate'];
  holdMs: number;
  /** Limits the keys that may be used. */
  narrow?: (reserve: Reserve) => Reserve;
  /** Counts the use, also of an aborted call that may have to be paid. */
  count: (used: CountedUse) => Promise<void>;
}

interface CountedUse {
  key: ModelOutcome['key'];
  usage: TokenUse;
  /** The reservation that this use settles. */
  reservationId: string;
}

type AskedApart = Pick<AskedCounted, 'question' | 'estimate' | 'holdMs'> & {
  wanted: WantedKey & { botId: string };
  conversationId: string;
};

/**
 * Asks a model for something other than an answer, with a reservation of its own. Its use is counted separately, also
 * when the person stops the turn meanwhile. @throws as `askModel`.
 */
export async function askApart(deps: Deps, asked: AskedApart): Promise<ModelOutcome> {
  const { wanted, conversationId } = asked;
  const { botId, model } = wanted;
  return await askCounted(deps, {
    ...asked,
    botId,
    count: (used) => countApart(deps, { ...used, wanted, conversationId, model }),
  });
}

/** Asks a model with a reservation of its own, and has the use counted. @throws as `askModel`. */
export async function askCounted(deps: Deps, asked: AskedCounted): Promise<ModelOutcome> {
  const { wanted, botId, question, estimate, holdMs, narrow = (reserve) => reserve, count } = asked;
  const { model } = wanted;
  const reservationId = uuidv7();
  const reserve = narrow(createReserve(deps, { ...wanted, botId, reservationId, estimate, holdMs }));
  const trail = new KeyTrail();
  try {
    const outcome = await askModel(deps, { wanted, reserve, question: { ...question, model }, trail });
    const usage = 'failure' in outcome ? outcome.unheard : outcome.answer.usage;
    if (usage) await count({ key: outcome.key, usage, reservationId });
    return outcome;
  } catch (error) {
    const { latest: key, unheard: usage } = trail;
    if (key && usage) await count({ key, usage, reservationId });
    throw error;
  }
}
