import type { botDeleted } from '@botyard/contracts/events/tenancy';
import type { Received } from '@botyard/shared/bus/consumer';
import type { TenantTx } from '@botyard/shared/db/database';
import { deleteBindingsOfBot } from '../../apps/store/bindings.ts';
import { deleteQuestionsOfBot } from '../../rating-questions/store/rating-questions.ts';
import { deleteRoutingOf } from '../../routing/store/assignments.ts';
import { deleteBot } from '../../store/bots.ts';

/** Messages stay; the bot's groups, assignments and bindings are deleted, and it asks nobody any more. */
export async function onBotDeleted(tx: TenantTx, { data }: Received<typeof botDeleted>): Promise<void> {
  await deleteBot(tx, data);
  await deleteRoutingOf(tx, data);
  await deleteBindingsOfBot(tx, data);
  await deleteQuestionsOfBot(tx, data);
}
