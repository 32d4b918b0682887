import type { Deps as AnsweringDeps } from '../answering/deps.ts';

export type Deps = AnsweringDeps & {
  /** Called when a run was created. */
  wakeEvaluations: () => void;
};
