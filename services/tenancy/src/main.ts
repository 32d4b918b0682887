import { startService } from '@botyard/shared/service/run-service';
import { createApp } from './app.ts';
import { tenancyConfig } from './config.ts';

await startService('tenancy', tenancyConfig, createApp);
