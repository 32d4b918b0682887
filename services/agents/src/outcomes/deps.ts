import type { Foundation } from '@botyard/shared/service/foundation';
import type { UsageClient } from '../clients/usage.ts';

export type Deps = Foundation & { usage: UsageClient };
