import { z } from 'zod';
import { PlatformName } from '../http/platform.ts';
import { PlatformPerson } from '../http/platform-users.ts';
import { Traffic } from '../http/platforms.ts';
import { Accounts } from './agents.ts';
import { defineRequest } from './definition.ts';

export const listPeople = defineRequest('agents.person.list.v1', {
  summary:
    'Lists the people who have written to bots of a tenant, most recently first seen first. A page may be shorter than `limit`; `hasMore` says whether more follow.',
  callers: ['tenancy'],
  request: z.object({
    tenantId: z.uuid(),
    limit: z.int().min(1).max(500),
    before: z.object({ firstSeenAt: z.iso.datetime(), personId: z.uuid() }).optional(),
    personId: z.uuid().optional(),
    platform: PlatformName.optional(),
    botId: z.uuid().optional(),
    platformUserId: z.string().optional(),
    accounts: Accounts.optional(),
    search: z.string().optional(),
  }),
  response: z.object({ people: z.array(PlatformPerson), hasMore: z.boolean() }),
  timeoutMs: 5000,
});

export const countTraffic = defineRequest('agents.traffic.count.v1', {
  summary:
    "Counts the traffic in a tenant's chats: for each bot and platform, and in total for each platform.",
  callers: ['tenancy'],
  request: z.object({ tenantId: z.uuid(), botIds: z.array(z.uuid()).max(500).nullable() }),
  response: z.object({
    traffic: z.array(Traffic.extend({ botId: z.uuid().nullable(), platform: PlatformName })),
  }),
  timeoutMs: 5000,
});
