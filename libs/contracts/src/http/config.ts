import { z } from 'zod';
import { id, moment } from './common.ts';
import { defineRouter, operator } from './contract.ts';
import { KeptAdmin } from './dashboard.ts';

const ServiceName = z.string();

const Setting = z
  .object({
    name: z.string().describe('The name of the environment variable.'),
    isSet: z.boolean().describe('Whether a value is in effect, including the default.'),
    value: z
      .union([z.string(), z.number(), z.boolean(), z.array(z.string()), z.null()])
      .optional()
      .describe('The value in effect; `null` if there is none. Absent if the value may hold a secret.'),
    source: z
      .enum(['environment', 'launcher', 'default', 'none'])
      .describe(
        'The source of the value. `environment`: set by the operator. `launcher`: set by the local launcher. ' +
          '`default`: the built-in default. `none`: not set, and there is no default.',
      ),
  })
  .meta({ id: 'Setting', description: 'A setting of a service. Values that may be secret are never shown.' });

export const ServiceSettings = z
  .object({
    serviceName: ServiceName,
    isAnswering: z.boolean().describe('Whether a process of the service answered.'),
    instances: z.int().describe('The number of its processes that answered.'),
    differing: z
      .array(z.string())
      .describe('Settings whose displayed values differ between processes of the service.'),
    settings: z.array(Setting).describe('The settings of the most recently started process, by name.'),
  })
  .meta({ id: 'ServiceSettings', description: 'The settings of one service.' });

const Missing = z
  .object({
    serviceName: ServiceName,
    setting: z.string().describe('The name of the environment variable.'),
    switchesOff: z.string().describe('The functionality that is disabled while the setting is missing.'),
  })
  .meta({
    id: 'MissingSetting',
    description: 'A missing setting, with the functionality that is disabled without it.',
  });

const Problem = z
  .object({
    serviceName: ServiceName,
    setting: z.string().describe("The setting to mend; `clock` for the time of the service's machine."),
    problem: z.string().describe('What is wrong, and what to do.'),
    since: moment.describe('When a process of the service noticed it first.'),
  })
  .meta({
    id: 'SettingProblem',
    description: 'A setting that does not fit what is behind it, as a running process has noticed.',
  });

const ConfigStatus = z
  .object({
    status: z
      .enum(['complete', 'limited', 'unknown'])
      .describe(
        '`complete`: no setting is missing, and no problem is known. `limited`: some functionality is disabled, or has a ' +
          'problem. `unknown`: at least one ' +
          'service does not answer.',
      ),
    missing: z.array(Missing).describe('Missing settings that disable some functionality.'),
    problems: z
      .array(Problem)
      .describe('Problems of the last 24 hours that would otherwise only show as refusals or failed calls.'),
    unanswered: z.array(ServiceName).describe('Services of which no process answers.'),
    adminsKeptAfterLeaving: z
      .object({
        count: z.int().describe('The total number of such people.'),
        longest: z
          .array(KeptAdmin.extend({ tenantId: id }))
          .describe('Up to 100 of them, starting with those who have been kept longest.'),
      })
      .describe(
        'People in all tenants who are no longer admins at the identity provider, but remain admins here because ' +
          'their tenant would otherwise have none.',
      ),
  })
  .meta({
    id: 'ConfigStatus',
    description: 'The missing settings and the functionality that is disabled without them.',
  });

export const configRouter = defineRouter({
  basePath: '/api/config',
  service: 'tenancy',
  description:
    'The settings of the services. They are read from the environment at startup and cannot be changed ' +
    'through the API.',
  routes: {
    getConfig: operator.get('/', {
      summary: 'Get the settings in effect in every service, with their sources.',
      response: z
        .object({
          services: z.array(ServiceSettings).describe('All services with their settings.'),
        })
        .meta({ id: 'Config', description: 'The settings in effect in all services.' }),
      errors: [503],
    }),
    getConfigStatus: operator.get('/status', {
      summary:
        'Get the missing settings, the functionality disabled without them, and admins kept after leaving the ' +
        'identity provider.',
      response: ConfigStatus,
      errors: [503],
    }),
  },
});
