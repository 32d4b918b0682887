import { answerHealth } from './routes/health.ts';
import { takeTelemetry } from './routes/otel.ts';
import { answerReference } from './routes/reference.ts';

/** What the gateway answers itself, by where it lies. Everything else is passed on to a service. */
export const ownPages = [
  { base: '/api/health', answer: answerHealth },
  { base: '/api/otel', answer: takeTelemetry },
  { base: '/docs', answer: answerReference },
] as const;
