import { v7 as uuidv7 } from 'uuid';
import type { WantedKey } from '../../clients/keys.ts';
import type { QuotaQuestion } from '../../clients/usage.ts';
import type { Deps } from '../deps.ts';
import { askModel, type ModelOutcome, type ModelQuestion } from './ask-model.ts';
import { countApart } from './count-apart.ts';
import { KeyTrail } from './key-trail.ts';
import { createReserve } from './quota.ts';

interface AskedApart {
  wanted: WantedKey & { botId: string };
  conversationId: string;
  question: Omit<ModelQuestion, 'model'>;
  /** The reservation: its size, and how long it lasts if the process dies. */
  estimate: QuotaQuestion['estimate'];
  holdMs: number;
}

/**
 * Asks a model for something other than an answer, with a reservation of its own. Its use is counted separately, also
 * when the person stops the turn meanwhile. @throws as `askModel`.
 */
export async function askApart(deps: Deps, asked: AskedApart): Promise<ModelOutcome> {
  const { wanted, conversationId, question, estimate, holdMs } = asked;
  const { model } = wanted;
  const reservationId = uuidv7();
  const used = { wanted, conversationId, model, reservationId };
  const reserve = createReserve(deps, { ...wanted, reservationId, estimate, holdMs });
  const trail = new KeyTrail();
  try {
    const outcome = await askModel(deps, { wanted, reserve, question: { ...question, model }, trail });
    const usage = 'failure' in outcome ? outcome.unheard : outcome.answer.usage;
    if (usage) await countApart(deps, { ...used, key: outcome.key, usage });
    return outcome;
  } catch (error) {
    const { latest: key, unheard: usage } = trail;
    if (key && usage) await countApart(deps, { ...used, key, usage });
    throw error;
  }
}
