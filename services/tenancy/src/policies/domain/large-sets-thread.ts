/** A thread that decides requests by large policy sets: see `large-sets.ts`. */
import { parentPort } from 'node:worker_threads';
import type { Request } from './cedar.ts';
import { createPolicyEngine, type PolicySet, type Verdict } from './engine.ts';
import { sampleRequests } from './worst-case.ts';

interface ThreadQuestion {
  set: PolicySet;
  request: Request;
}
export type ThreadAnswer = { isReady: true } | { verdict: Verdict };

/** A set of 128 KiB takes about 2 MB when it is parsed. */
const slots = 16;

const engine = createPolicyEngine({ slots });
const tell = (answer: ThreadAnswer) => parentPort?.postMessage(answer);

parentPort?.on('message', ({ set, request }: ThreadQuestion) =>
  tell({ verdict: engine.decide(set, request) }),
);
// The first decisions of an instance compile it, so they happen here, outside the time budget of a request.
for (const request of sampleRequests()) engine.decideByBase(request);
tell({ isReady: true });
