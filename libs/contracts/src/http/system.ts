import { z } from 'zod';
import { moment } from './common.ts';
import { defineRouter, operator } from './contract.ts';
import {
  LogEntry,
  Restart,
  SystemMetrics,
  SystemPerformance,
  SystemService,
  SystemSummary,
} from './system-shapes.ts';

const serviceName = z.string().min(1).max(100);

const LogFilter = z.object({
  service: serviceName.optional().describe('Only this service. Defaults to all.'),
  level: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal'])
    .default('info')
    .describe('The lowest severity to include.'),
  since: moment.optional().describe('Only lines from this moment on.'),
  before: moment
    .optional()
    .describe('Only lines before this moment. To get older lines, send the time of the last line received.'),
  text: z.string().min(1).max(200).optional().describe('A text that the line contains. Case-insensitive.'),
  limit: z.coerce.number().int().min(1).max(500).default(100),
});

export const systemRouter = defineRouter({
  basePath: '/api/system',
  service: 'tenancy',
  description:
    'The processes of this installation, with their state, figures and logs. They are discovered and queried over NATS. ' +
    'A service that does not answer within two seconds is reported as missing.',
  routes: {
    getSystemSummary: operator.get('/info', {
      summary: 'Get the running release and its environment.',
      response: SystemSummary,
      errors: [503],
    }),
    getSystemMetrics: operator.get('/metrics', {
      summary: 'Get figures of the processes, by service and in total.',
      response: SystemMetrics,
      errors: [503],
    }),
    listSystemServices: operator.get('/services', {
      summary: 'List the services and the processes of each.',
      response: z.array(SystemService),
      errors: [503],
    }),
    listSystemLogs: operator.get('/logs', {
      summary: 'List what the processes logged recently, newest first.',
      description:
        'Each process keeps its last 2,000 lines in memory and, separately, its last 500 warnings and errors. They are lost ' +
        'when the process ends. Secrets are masked, as in the log itself.',
      query: LogFilter,
      response: z.array(LogEntry),
      errors: [404, 503],
    }),
    getSystemPerformance: operator.get('/performance', {
      summary: 'Get response times, and figures of event loops, connection pools and the bus.',
      response: SystemPerformance,
      errors: [503],
    }),
    restartSystemService: operator.post('/services/:serviceName/restart', {
      summary: 'Restart all processes of a service, one after another, in the background.',
      description:
        'Each process is restarted only when as many processes as before are ready again. Its requests go to the others, or wait ' +
        'for it. The supervisor of the processes must start each one again after it ends. If a process is not back within a minute, ' +
        'the restart is aborted. Returns 409 while a restart of the service is in progress, and if none of its processes answers.',
      params: { serviceName },
      status: 202,
      response: Restart,
      errors: [404, 409, 503],
    }),
    getSystemRestart: operator.get('/services/:serviceName/restart', {
      summary: 'Get the progress of the last restart of a service.',
      params: { serviceName },
      response: Restart,
      errors: [404],
    }),
  },
});
