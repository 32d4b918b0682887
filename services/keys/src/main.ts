import { startService } from '@botyard/shared/service/run-service';
import { createApp } from './app.ts';
import { keysConfig } from './config.ts';

await startService('keys', keysConfig, createApp);
