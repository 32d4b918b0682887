import type { Foundation } from '@botyard/shared/service/foundation';
import type { TenancyClient } from '../clients/tenancy.ts';

export type Deps = Foundation & { tenancy: TenancyClient };
