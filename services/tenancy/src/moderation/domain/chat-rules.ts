import {
  type CreateChannelGrantBody,
  type CreatePrivateChatGrantBody,
  maxChannelGrants,
  maxPrivateChatGrants,
} from '@botyard/contracts/http/auth-chat-rules';
import { notFound, unprocessable } from '@botyard/shared/http/errors';
import { v7 as uuidv7 } from 'uuid';
import { announcing } from '../../policies/domain/announcing.ts';
import type { Deps } from '../deps.ts';
import {
  type ChannelGrantRow,
  countChannelGrants,
  deleteChannelGrant,
  insertChannelGrant,
} from '../store/channel-grants.ts';
import {
  countPrivateChatGrants,
  deleteExpiredPrivateChatGrants,
  deletePrivateChatGrant,
  insertPrivateChatGrant,
  type PrivateChatGrantRow,
} from '../store/private-chat-grants.ts';
import { type ChatRulesChange, type ChatRulesRow, saveChatRules } from '../store/rules.ts';

/** The author of a change, and the tenant. */
export interface Actor {
  tenantId: string;
  userId: string;
}

export const endOf = (until: string | null | undefined): Date | null => (until ? new Date(until) : null);

/** Changes the given fields. @throws HttpError 404 when the tenant has no such bot. */
export const changeChatRules = (
  deps: Deps,
  bot: { tenantId: string; botId: string },
  change: ChatRulesChange,
): Promise<ChatRulesRow> => announcing(deps, bot.tenantId, (tx) => saveChatRules(tx, bot, change));

/**
 * @throws HttpError 404 when the tenant has no such bot, 409 when it already has the grant, 422 when the tenant has too
 * many.
 */
export const grantChannel = (
  deps: Deps,
  { tenantId, userId }: Actor,
  { title = null, ...body }: CreateChannelGrantBody,
): Promise<ChannelGrantRow> =>
  announcing(deps, tenantId, async (tx) => {
    if ((await countChannelGrants(tx, tenantId)) >= maxChannelGrants) throw tooMany('grants');
    return await insertChannelGrant(tx, { ...body, tenantId, grantId: uuidv7(), title, createdBy: userId });
  });

/** @throws HttpError 404 as `grantChannel`, 409 when the same grant exists, 422 when the tenant has too many. */
export const grantPrivateChat = (
  deps: Deps,
  { tenantId, userId }: Actor,
  { name = null, until, ...body }: CreatePrivateChatGrantBody,
): Promise<PrivateChatGrantRow> =>
  announcing(deps, tenantId, async (tx) => {
    if ((await countPrivateChatGrants(tx, tenantId)) >= maxPrivateChatGrants) {
      await deleteExpiredPrivateChatGrants(tx, tenantId);
      if ((await countPrivateChatGrants(tx, tenantId)) >= maxPrivateChatGrants) throw tooMany('grants');
    }
    const grant = { ...body, tenantId, grantId: uuidv7(), name, until: endOf(until), createdBy: userId };
    return await insertPrivateChatGrant(tx, grant);
  });

/** @throws HttpError 404. */
export const revokeChannelGrant = (
  deps: Deps,
  key: Pick<ChannelGrantRow, 'tenantId' | 'grantId'>,
): Promise<void> =>
  announcing(deps, key.tenantId, async (tx) => {
    if (!(await deleteChannelGrant(tx, key))) throw notFound('grant');
  });

/** @throws HttpError 404. */
export const revokePrivateChatGrant = (
  deps: Deps,
  key: Pick<ChannelGrantRow, 'tenantId' | 'grantId'>,
): Promise<void> =>
  announcing(deps, key.tenantId, async (tx) => {
    if (!(await deletePrivateChatGrant(tx, key))) throw notFound('grant');
  });

export const tooMany = (what: string) => unprocessable(`the tenant has reached its limit of ${what}`);
