import type { Deps as AdmissionDeps } from './admission/deps.ts';
import type { Typing } from './chats/domain/typing.ts';
import type { QueueDeps, SendDeps } from './delivery/deps.ts';
import type { SendingWorker } from './delivery/domain/sending.ts';
import type { Deps as EndpointsDeps } from './endpoints/deps.ts';
import type { Deps as ErasureDeps } from './erasure/deps.ts';
import type { Deps as FilesDeps } from './files/deps.ts';
import type { Deps as HousekeepingDeps } from './housekeeping/deps.ts';
import type { Deps as IdentityDeps } from './identity/deps.ts';
import type { Deps as InstallationsDeps } from './installations/deps.ts';
import type { Deps as MediaDeps } from './media/deps.ts';
import type { Deps as PollingDeps } from './polling/deps.ts';
import type { TextWorker } from './text-threads/domain/text-worker.ts';

/** The needs of all modules together; `app.ts` makes it. */
export type Deps = AdmissionDeps &
  EndpointsDeps &
  ErasureDeps &
  FilesDeps &
  HousekeepingDeps &
  IdentityDeps &
  InstallationsDeps &
  MediaDeps &
  PollingDeps &
  QueueDeps &
  SendDeps & {
    typing: Typing;
    sending: SendingWorker;
    /** Reads and formats external texts, in a thread where that takes long. */
    texts: TextWorker;
  };
