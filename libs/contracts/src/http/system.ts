import { z } from 'zod';
import { moment } from './common.ts';
import { defineRouter, route } from './contract.ts';
import {
  LogEntry,
  Restart,
  SystemMetrics,
  SystemPerformance,
  SystemService,
  SystemSummary,
} from './system-shapes.ts';

const access = 'operator';
const serviceName = z.string().min(1).max(100);

const LogFilter = z.object({
  service: serviceName.optional().describe('One service; all of them without it.'),
  level: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal'])
    .default('info')
    .describe('This one and worse.'),
  since: moment.optional().describe('Only lines from this moment on.'),
  before: moment.optional().describe('For older lines: the time of the last line that one has.'),
  text: z.string().min(1).max(200).optional().describe('Is in the line, in whatever case.'),
  limit: z.coerce.number().int().min(1).max(500).default(100),
});

export const systemRouter = defineRouter({
  basePath: '/api/system',
  service: 'tenancy',
  description:
    'The processes of this installation: what runs, how it is, what it says. They are found and asked over NATS; what does ' +
    'not answer within two seconds is told as missing.',
  reserves: access,
  routes: {
    getSystemSummary: route({
      method: 'get',
      path: '/info',
      access,
      summary: 'What was built, and what it runs on.',
      response: SystemSummary,
      errors: [503],
    }),
    getSystemMetrics: route({
      method: 'get',
      path: '/metrics',
      access,
      summary: 'Figures of the processes, by service and added up.',
      response: SystemMetrics,
      errors: [503],
    }),
    listSystemServices: route({
      method: 'get',
      path: '/services',
      access,
      summary: 'The services, and every process of each.',
      response: z.array(SystemService),
      errors: [503],
    }),
    listSystemLogs: route({
      method: 'get',
      path: '/logs',
      access,
      summary: 'What the processes logged lately, the newest first.',
      description:
        'Each process remembers its last 2,000 lines and, apart from them, its last 500 warnings and errors; they are gone ' +
        'with it. Secrets are blotted out, as in the log itself.',
      query: LogFilter,
      response: z.array(LogEntry),
      errors: [404, 503],
    }),
    getSystemPerformance: route({
      method: 'get',
      path: '/performance',
      access,
      summary:
        'How fast requests are answered, and what of event loops, pools and the bus could be in the way.',
      response: SystemPerformance,
      errors: [503],
    }),
    restartSystemService: route({
      method: 'post',
      path: '/services/:serviceName/restart',
      access,
      summary: 'Restart all processes of a service, one after another, in the background.',
      description:
        'Each is restarted only when as many as before are ready again; its requests go to the others, or wait for it. Who ' +
        'watches over the processes has to start again what ends. When a process is not back within a minute the round ' +
        'stops. 409 while one of this service goes on, and when none of its processes answers.',
      params: { serviceName },
      status: 202,
      response: Restart,
      errors: [404, 409, 503],
    }),
    getSystemRestart: route({
      method: 'get',
      path: '/services/:serviceName/restart',
      access,
      summary: 'How far the last restart of a service is.',
      params: { serviceName },
      response: Restart,
      errors: [404],
    }),
  },
});
