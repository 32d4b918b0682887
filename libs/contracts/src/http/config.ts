import { z } from 'zod';
import { id } from './common.ts';
import { defineRouter, route } from './contract.ts';
import { KeptAdmin } from './dashboard.ts';

const access = 'operator';
const ServiceName = z.string();

const Setting = z
  .object({
    name: z.string().describe('The name of the environment variable.'),
    isSet: z.boolean().describe('Whether a value is in effect, the default included.'),
    value: z
      .union([z.string(), z.number(), z.boolean(), z.array(z.string()), z.null()])
      .optional()
      .describe(
        'What is in effect; null when nothing is. Absent where the value may hold a secret: then `isSet` is all that is told.',
      ),
    source: z
      .enum(['environment', 'launcher', 'default', 'none'])
      .describe(
        '`environment`: set by whoever operates this. `launcher`: filled in by the local launcher. `none`: not set, and there is no default.',
      ),
  })
  .meta({
    id: 'Setting',
    description: 'One setting of a service. A value that may be a secret is never shown.',
  });

export const ServiceSettings = z
  .object({
    serviceName: ServiceName,
    isAnswering: z.boolean().describe('Whether a process of the service answered.'),
    instances: z.number().int().describe('How many of its processes answered.'),
    differing: z
      .array(z.string())
      .describe('Settings that are not the same in all processes of the service, as far as they are shown.'),
    settings: z.array(Setting).describe('Of the process that was started last; by name.'),
  })
  .meta({ id: 'ServiceSettings', description: 'The settings of one service.' });

const Missing = z
  .object({
    serviceName: ServiceName,
    setting: z.string().describe('The name of the environment variable.'),
    switchesOff: z.string().describe('What is not done while it is not set.'),
  })
  .meta({ id: 'MissingSetting', description: 'A setting without which something is switched off.' });

const ConfigStatus = z
  .object({
    status: z
      .enum(['complete', 'limited', 'unknown'])
      .describe('`unknown`: not every service answers. `limited`: something is switched off.'),
    missing: z.array(Missing).describe('Settings without which something is switched off.'),
    unanswered: z.array(ServiceName).describe('Services of which no process answers now.'),
    adminsKeptAfterLeaving: z
      .object({
        count: z.number().int().describe('How many there are in all.'),
        longest: z.array(KeptAdmin.extend({ tenantId: id })).describe('At most 100, the longest first.'),
      })
      .describe(
        'Of all tenants: people who are no longer admins at the identity provider and stay it here, because their tenant would have none.',
      ),
  })
  .meta({
    id: 'ConfigStatus',
    description: 'Whether something is switched off because a setting is missing.',
  });

export const configRouter = defineRouter({
  basePath: '/api/config',
  service: 'tenancy',
  description:
    'What the services work with. It is set in their environment and read at their start: nothing changes it here.',
  reserves: access,
  routes: {
    getConfig: route({
      method: 'get',
      path: '/',
      access,
      summary: 'The settings in effect, of every service, with where they come from.',
      response: z
        .object({
          services: z.array(ServiceSettings).describe('Every service, with the settings of its processes.'),
        })
        .meta({ id: 'Config', description: 'The settings that are in effect in all services.' }),
      errors: [503],
    }),
    getConfigStatus: route({
      method: 'get',
      path: '/status',
      access,
      summary: 'What is not set, what that switches off, and which tenants are kept by admins who have left.',
      response: ConfigStatus,
      errors: [503],
    }),
  },
});
