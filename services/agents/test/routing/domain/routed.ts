import type { PlacedAssignment, RoutedAgent } from '../../../src/routing/store/routing-view.ts';

/** An agent that is called as its identifier is. */
export const agent = (id: string, keywords: string[] = [], more: Partial<RoutedAgent> = {}): RoutedAgent => ({
  id,
  name: id,
  description: '',
  keywords,
  capabilityIds: [],
  isEnabled: true,
  version: 1,
  ...more,
});

/** An assignment that applies everywhere and always, except for the given fields. */
export const assignment = (
  assignmentId: string,
  assigned: RoutedAgent,
  held: Partial<PlacedAssignment>,
): PlacedAssignment => ({
  assignmentId,
  chatId: null,
  groupId: null,
  kind: null,
  threadId: null,
  keywords: [],
  language: null,
  priority: 0,
  agent: assigned,
  ...held,
});
