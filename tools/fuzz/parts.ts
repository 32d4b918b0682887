import { contracts } from './contracts/contracts.ts';
import { gate } from './gate/gate.ts';
import type { PartName } from './options.ts';
import type { Part } from './part.ts';
import { webhooks } from './webhooks/webhooks.ts';

export const parts: Readonly<Record<PartName, Part>> = { contracts, gate, webhooks };
