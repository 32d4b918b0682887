import { startService } from '@botyard/shared/service/run-service';
import { createApp } from './app.ts';
import { usageConfig } from './config.ts';

await startService('usage', usageConfig, createApp);
