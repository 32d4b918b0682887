import { z } from 'zod';
import { id, moment } from './common.ts';
import { defineRouter, route } from './contract.ts';
import { AccessRule } from './integrations-rules.ts';
import { HistoryQuery, TicketQuery, ToolExecution, ToolTicket } from './integrations-tickets.ts';
import { PageQuery } from './page.ts';
import { ToolConnection, toolkitSlug } from './tools.ts';

const toolkits = z.array(toolkitSlug).max(1000).describe('Short names of outside services, at most 1,000.');

export const PlatformToolkits = z
  .object({
    toolkits: z
      .array(z.string())
      .nullable()
      .describe('The allowed outside services. `null`: all that the provider offers.'),
    updatedAt: moment.nullable(),
  })
  .meta({ id: 'PlatformToolkits', description: 'The outside services that the platform allows.' });
export type PlatformToolkits = z.input<typeof PlatformToolkits>;

export const TenantToolSettings = z
  .object({
    tenantId: id,
    enabled: z.boolean().describe('Whether the tenant may use external tools at all.'),
    toolkits: z
      .array(z.string())
      .nullable()
      .describe('The outside services that the tenant may use. `null`: all that the platform allows.'),
    updatedAt: moment.nullable(),
  })
  .meta({ id: 'TenantToolSettings', description: 'The outside services that a tenant may use.' });
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
  description:
    'External tools of the platform and of each tenant. Returns 503 unless external tools are enabled.',
  routes: {
    getPlatformToolkits: route({
      method: 'get',
      path: '/toolkits',
      access: 'operator',
      summary: 'Get the toolkits that the platform allows.',
      response: PlatformToolkits,
    }),
    putPlatformToolkits: route({
      method: 'put',
      path: '/toolkits',
      access: 'operator',
      summary: 'Set the toolkits that the platform allows.',
      description: 'Applies to every call that starts afterwards, including calls that were approved before.',
      body: z.object({
        toolkits: toolkits
          .nullable()
          .describe('Outside services that tenants may use; `null`: all that the provider offers.'),
      }),
      response: PlatformToolkits,
    }),
    getTenantToolSettings: route({
      method: 'get',
      path: '/tenants/:tenantId',
      access: 'operator',
      summary: 'Get which external tools a tenant may use.',
      response: TenantToolSettings,
    }),
    putTenantToolSettings: route({
      method: 'put',
      path: '/tenants/:tenantId',
      access: 'operator',
      summary: 'Set which external tools a tenant may use.',
      body: PutTenantToolSettingsBody,
      response: TenantToolSettings,
    }),
    listTenantAccessRules: route({
      method: 'get',
      path: '/tenants/:tenantId/access-rules',
      access: 'operator',
      summary: "List a tenant's access rules for tools.",
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
      summary: "List a tenant's calls that need approval.",
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
