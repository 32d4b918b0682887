import { startService } from '@botyard/shared/service/run-service';
import { createApp } from './app.ts';
import { agentsConfig } from './config.ts';

await startService('agents', agentsConfig, createApp);
