import type { botsRouter } from '@botyard/contracts/http/bots';
import { withMoments } from '@botyard/contracts/http/common';
import type { Member } from '@botyard/contracts/http/members';
import { pageOf } from '@botyard/contracts/http/page';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../deps.ts';
import {
  addMember,
  changeMember,
  getMember,
  listMembers,
  type MemberRow,
  removeMember,
} from '../domain/members.ts';

type MemberRoutes = 'listMembers' | 'addMember' | 'getMember' | 'changeMember' | 'removeMember';

/** The part of `/api/bots` that is about a tenant's people. */
export const memberHandlers: Pick<Handlers<typeof botsRouter, Deps>, MemberRoutes> = {
  listMembers: async ({ tenantId, caller, query }, deps) =>
    pageOf(await listMembers(deps, { tenantId, caller }, query), query, toMember, ({ userId }) => userId),

  addMember: async ({ tenantId, caller, body }, deps) =>
    toMember(await addMember(deps, { tenantId, caller }, body)),

  getMember: async ({ tenantId, caller, params: { userId } }, deps) =>
    toMember(await getMember(deps, { tenantId, caller, userId })),

  changeMember: async ({ tenantId, caller, params, body }, deps) =>
    toMember(await changeMember(deps, { tenantId, caller, userId: params.userId }, body.role)),

  removeMember: ({ tenantId, params }, deps) => removeMember(deps, { tenantId, userId: params.userId }),
};

const toMember = ({ visitedAt: firstVisitAt, ...row }: MemberRow): Member =>
  withMoments({ ...row, firstVisitAt });
