import type { Deps as BotsDeps } from '../bots/deps.ts';
import type { Deps as PeopleDeps } from '../people/deps.ts';

export interface Deps extends BotsDeps, PeopleDeps {}
