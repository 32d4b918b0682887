import type { PageRequest } from '@botyard/contracts/http/page';
import type { TenantTx } from '@botyard/shared/db/database';
import { byTurn } from '../../routing/domain/routes-of-apps.ts';
import type { BotRow } from '../../store/bots.ts';
import { type BindingRow, listBindingsOfBots, listBots } from '../store/bindings.ts';

export interface BotOnRoster extends BotRow {
  bindings: (BindingRow & { appName: string })[];
}

/** Bots with their bindings, in the order of precedence; one more than the page's limit. */
export async function listRoster(tx: TenantTx, tenantId: string, page: PageRequest): Promise<BotOnRoster[]> {
  const bots = await listBots(tx, tenantId, page);
  const bindings = await listBindingsOfBots(
    tx,
    tenantId,
    bots.map(({ botId }) => botId),
  );
  return bots.map((bot) => ({
    ...bot,
    bindings: bindings.filter(({ botId }) => botId === bot.botId).sort(byTurn),
  }));
}
