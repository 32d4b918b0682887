import { startService } from '@botyard/shared/service/run-service';
import { createApp } from './app.ts';
import { gatewayConfig } from './config.ts';

await startService('gateway', gatewayConfig, createApp);
