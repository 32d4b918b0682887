import { type CreateMuteBody, maxMutes, type UpdateMuteBody } from '@botyard/contracts/http/auth-chat-rules';
import { found } from '@botyard/shared/db/rows';
import { notFound } from '@botyard/shared/http/errors';
import { v7 as uuidv7 } from 'uuid';
import { announcing } from '../../policies/domain/announcing.ts';
import type { Deps } from '../deps.ts';
import {
  countMutes,
  deleteExpiredMutes,
  deleteMute,
  insertMute,
  type MuteKey,
  type MuteRow,
  updateMute,
} from '../store/mutes.ts';
import { type Actor, endOf, tooMany } from './chat-rules.ts';

/**
 * Mutes a person for all bots of the tenant, or for the given one.
 * @throws HttpError 404 when the tenant has no such bot, 409 when the same mute exists, 422 when there are too many.
 */
export const mutePerson = (
  deps: Deps,
  { tenantId, userId }: Actor,
  { botId = null, reason = null, until, ...body }: CreateMuteBody,
): Promise<MuteRow> =>
  announcing(deps, tenantId, async (tx) => {
    if ((await countMutes(tx, tenantId)) >= maxMutes) {
      await deleteExpiredMutes(tx, tenantId);
      if ((await countMutes(tx, tenantId)) >= maxMutes) throw tooMany('mutes');
    }
    const mute = { ...body, tenantId, muteId: uuidv7(), botId, reason, until: endOf(until) };
    return await insertMute(tx, { ...mute, createdBy: userId });
  });

/** Changes the fields in the body. @throws HttpError 404. */
export const changeMute = (deps: Deps, key: MuteKey, { reason, until }: UpdateMuteBody): Promise<MuteRow> =>
  announcing(deps, key.tenantId, async (tx) => {
    const change = { reason, until: until === undefined ? undefined : endOf(until) };
    return found(await updateMute(tx, key, change), 'mute');
  });

/** @throws HttpError 404. */
export const unmute = (deps: Deps, key: MuteKey): Promise<void> =>
  announcing(deps, key.tenantId, async (tx) => {
    if (!(await deleteMute(tx, key))) throw notFound('mute');
  });
