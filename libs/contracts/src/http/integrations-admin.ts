import { z } from 'zod';
import { id, moment } from './common.ts';
import { defineRouter, operator } from './contract.ts';
import { AccessRule } from './integrations-rules.ts';
import { HistoryQuery, TicketQuery, ToolExecution, ToolTicket } from './integrations-tickets.ts';
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
    .nullish()
    .describe('Outside services that the tenant may use; `null`: all that the platform allows.'),
});
export type PutTenantToolSettingsBody = z.output<typeof PutTenantToolSettingsBody>;

export const integrationsAdminRouter = defineRouter({
  basePath: '/api/admin/integrations',
  service: 'agents',
  description:
    'External tools of the platform and of each tenant. Returns 503 unless external tools are enabled.',
  routes: {
    getPlatformToolkits: operator.get('/toolkits', {
      summary: 'Get the toolkits that the platform allows.',
      response: PlatformToolkits,
    }),
    putPlatformToolkits: operator.put('/toolkits', {
      summary: 'Set the toolkits that the platform allows.',
      description: 'Applies to every call that starts afterwards, including calls that were approved before.',
      body: z.object({
        toolkits: toolkits
          .nullable()
          .describe('Outside services that tenants may use; `null`: all that the provider offers.'),
      }),
      response: PlatformToolkits,
    }),
    getTenantToolSettings: operator.get('/tenants/:tenantId', {
      summary: 'Get which external tools a tenant may use.',
      response: TenantToolSettings,
    }),
    putTenantToolSettings: operator.put('/tenants/:tenantId', {
      summary: 'Set which external tools a tenant may use.',
      body: PutTenantToolSettingsBody,
      response: TenantToolSettings,
    }),
    listTenantAccessRules: operator.get('/tenants/:tenantId/access-rules', {
      summary: "List a tenant's access rules for tools.",
      response: z.array(AccessRule),
    }),
    listTenantConnections: operator.list('/tenants/:tenantId/connections', {
      summary: "List a tenant's connected accounts.",
      response: z.array(ToolConnection),
    }),
    listTenantTickets: operator.list('/tenants/:tenantId/pending', {
      summary: "List a tenant's calls that need approval.",
      query: TicketQuery,
      response: z.array(ToolTicket),
    }),
    listTenantHistory: operator.list('/tenants/:tenantId/history', {
      summary: "List a tenant's calls of external tools.",
      query: HistoryQuery,
      response: z.array(ToolExecution),
    }),
  },
});
