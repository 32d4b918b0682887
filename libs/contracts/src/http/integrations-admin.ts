import { z } from 'zod';
import { id, moment } from './common.ts';
import { defineRouter, route } from './contract.ts';
import { AccessRule } from './integrations-rules.ts';
import { HistoryQuery, TicketQuery, ToolExecution, ToolTicket } from './integrations-tickets.ts';
import { PageQuery } from './page.ts';
import { ToolConnection, toolkitSlug } from './tools.ts';

const toolkits = z
  .array(toolkitSlug)
  .max(1000)
  .describe('Outside services by their short names, at most 1,000.');

export const PlatformToolkits = z
  .object({
    toolkits: z.array(z.string()).nullable().describe('`null`: all that the provider has.'),
    updatedAt: moment.nullable(),
  })
  .meta({ id: 'PlatformToolkits', description: 'Which outside services the platform allows.' });
export type PlatformToolkits = z.input<typeof PlatformToolkits>;

export const TenantToolSettings = z
  .object({
    tenantId: id,
    enabled: z.boolean().describe('Whether the tenant may use external tools at all.'),
    toolkits: z.array(z.string()).nullable().describe('`null`: all that the platform allows.'),
    updatedAt: moment.nullable(),
  })
  .meta({ id: 'TenantToolSettings', description: 'Which outside services a tenant may use.' });
export type TenantToolSettings = z.input<typeof TenantToolSettings>;

export const PutTenantToolSettingsBody = z.object({
  enabled: z.boolean().optional(),
  toolkits: toolkits
    .nullable()
    .optional()
    .describe('Outside services that the tenant may use; `null`: all that the platform allows.'),
});
export type PutTenantToolSettingsBody = z.output<typeof PutTenantToolSettingsBody>;

export const integrationsAdminRouter = defineRouter({
  basePath: '/api/admin/integrations',
  service: 'agents',
  description: 'External tools of the platform, and of any tenant. 503 unless they are switched on.',
  routes: {
    getPlatformToolkits: route({
      method: 'get',
      path: '/toolkits',
      access: 'operator',
      summary: 'Get which toolkits the platform allows.',
      response: PlatformToolkits,
    }),
    putPlatformToolkits: route({
      method: 'put',
      path: '/toolkits',
      access: 'operator',
      summary: 'Set which toolkits the platform allows.',
      description: 'Holds for every call that begins afterwards, also for one that was approved before.',
      body: z.object({
        toolkits: toolkits
          .nullable()
          .describe('Outside services that tenants may use; `null`: all that the provider has.'),
      }),
      response: PlatformToolkits,
    }),
    getTenantToolSettings: route({
      method: 'get',
      path: '/tenants/:tenantId',
      access: 'operator',
      summary: 'Get what a tenant may use.',
      response: TenantToolSettings,
    }),
    putTenantToolSettings: route({
      method: 'put',
      path: '/tenants/:tenantId',
      access: 'operator',
      summary: 'Set what a tenant may use.',
      body: PutTenantToolSettingsBody,
      response: TenantToolSettings,
    }),
    listTenantAccessRules: route({
      method: 'get',
      path: '/tenants/:tenantId/access-rules',
      access: 'operator',
      summary: "List a tenant's rules.",
      response: z.array(AccessRule),
    }),
    listTenantConnections: route({
      method: 'get',
      path: '/tenants/:tenantId/connections',
      access: 'operator',
      summary: "List a tenant's connected accounts.",
      query: PageQuery,
      response: z.array(ToolConnection),
      paged: true,
    }),
    listTenantTickets: route({
      method: 'get',
      path: '/tenants/:tenantId/pending',
      access: 'operator',
      summary: "List a tenant's calls that wait for approval.",
      query: TicketQuery,
      response: z.array(ToolTicket),
      paged: true,
    }),
    listTenantHistory: route({
      method: 'get',
      path: '/tenants/:tenantId/history',
      access: 'operator',
      summary: "List a tenant's calls of external tools.",
      query: HistoryQuery,
      response: z.array(ToolExecution),
      paged: true,
    }),
  },
});
