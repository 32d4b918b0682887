import type { Deps as AnsweringDeps } from '../answering/deps.ts';
import type { Deps as RecordingsDeps } from '../recordings/deps.ts';

export type Deps = AnsweringDeps &
  RecordingsDeps & {
    /** Called when turns were drawn. */
    wakeShadows: () => void;
  };
