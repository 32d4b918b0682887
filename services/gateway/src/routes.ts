import { oauthClientPath } from '@botyard/contracts/http/oauth-client';
import { metadataPath } from './domain/protected-resource.ts';
import { isUnder } from './domain/request-target.ts';
import { answerConsole, isConsole } from './routes/console.ts';
import { answerHealth } from './routes/health.ts';
import { answerMcp } from './routes/mcp.ts';
import { answerOauthClient } from './routes/oauth-client.ts';
import { takeTelemetry } from './routes/otel.ts';
import { answerProtectedResource } from './routes/protected-resource.ts';
import { answerReference } from './routes/reference.ts';

const beneath = (base: string) => (path: string) => isUnder(path, base);

/** The paths that the gateway answers itself. Everything else is passed on to a service. */
export const ownPages = [
  { isAt: beneath('/api/health'), answer: answerHealth },
  { isAt: beneath('/api/otel'), answer: takeTelemetry },
  { isAt: beneath('/docs'), answer: answerReference },
  { isAt: beneath('/api/mcp'), answer: answerMcp },
  { isAt: (path: string) => path === metadataPath, answer: answerProtectedResource },
  { isAt: (path: string) => path === oauthClientPath, answer: answerOauthClient },
  { isAt: isConsole, answer: answerConsole },
] as const;
