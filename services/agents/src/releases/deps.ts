import type { Foundation } from '@botyard/shared/service/foundation';

export type Deps = Foundation;
