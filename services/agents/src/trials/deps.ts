import type { Deps as AnsweringDeps } from '../answering/deps.ts';
import type { RunningTrials } from './domain/running-trials.ts';

export type Deps = AnsweringDeps & { trials: RunningTrials };
