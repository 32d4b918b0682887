import { startService } from '@botyard/shared/service/run-service';
import { createApp } from './app.ts';
import { webhooksConfig } from './config.ts';

await startService('webhooks', webhooksConfig, createApp);
