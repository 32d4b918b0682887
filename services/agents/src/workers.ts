import type { Worker } from '@botyard/shared/work/worker';
import { createEditPruning } from './conversations/domain/apply-edit.ts';
import type { Deps } from './deps.ts';
import { createToolHousekeeping } from './external-tools/domain/housekeeping.ts';
import { createSnoozeEnds } from './inbox/domain/end-snoozes.ts';
import { createLostMessageWatch } from './intake/domain/missing-messages.ts';
import { createSignInEnds } from './mcp/domain/housekeeping.ts';
import { createResealer } from './mcp/domain/resealer.ts';
import { createSessionSweep } from './outcomes/domain/sweep-sessions.ts';
import { createRatingQuestions } from './rating-questions/domain/ask.ts';
import { createKeyResealer, createRecordingEnds } from './recordings/domain/housekeeping.ts';
import { createReleaseWatch } from './releases/domain/watch-releases.ts';
import { createShadowDraw } from './shadows/domain/draw-turns.ts';
import { createHandbacks } from './takeover/domain/handbacks.ts';

/** The background work that runs by the clock: no other code wakes it. */
export const createKeepers = (deps: Deps): Worker[] => [
  createEditPruning(deps),
  createToolHousekeeping(deps),
  createLostMessageWatch(deps),
  createHandbacks(deps),
  createSnoozeEnds(deps),
  createResealer(deps),
  createSignInEnds(deps),
  createReleaseWatch(deps),
  createSessionSweep(deps),
  createShadowDraw(deps),
  createRatingQuestions(deps),
  createRecordingEnds(deps),
  createKeyResealer(deps),
];
