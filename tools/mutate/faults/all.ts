import type { Fault } from '../fault.ts';
import { agentFaults } from './agents.ts';
import { gatewayFaults } from './gateway.ts';
import { otherFaults } from './others.ts';
import { sharedFaults } from './shared.ts';
import { webhookFaults } from './webhooks.ts';

export const allFaults: readonly Fault[] = [
  ...gatewayFaults,
  ...sharedFaults,
  ...webhookFaults,
  ...agentFaults,
  ...otherFaults,
];
