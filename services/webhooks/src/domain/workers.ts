import type { Worker } from '@botyard/shared/service/foundation';
import type { Deps } from '../deps.ts';
import { createWebhookHealth, type WebhookHealthCheck } from './admission/webhook-health.ts';
import { createCallbackAnswers } from './chats/callback-answers.ts';
import { Typing } from './chats/typing.ts';
import { createFileWorkers } from './email/inbound/files/files.ts';
import { createChecker } from './endpoints/checker.ts';
import { createRegistrar } from './endpoints/registrar.ts';
import { createResealer } from './endpoints/resealer.ts';
import { createHousekeeping, createOverdueReplies } from './housekeeping.ts';
import { createSending } from './sending/sending.ts';
import { createTenantPurge } from './tenant-purge.ts';

/** Everything in this service that works on its own, and who wakes it. */
export function createWorkers(deps: Deps): {
  workers: Worker[];
  typing: Typing;
  health: WebhookHealthCheck;
  /** Begins no more sends. */
  drain: () => void;
} {
  const typing = new Typing(deps);
  const sending = createSending(deps, typing);
  const registrar = createRegistrar(deps);
  const callbackAnswers = createCallbackAnswers(deps);
  const checker = createChecker(deps);
  const health = createWebhookHealth(deps);
  const tenantPurge = createTenantPurge(deps);
  deps.tenantPurge = tenantPurge;
  deps.wakeSender = () => sending.wake();
  deps.wakeMailSender = () => sending.wakeMails();
  deps.wakeRegistrar = () => registrar.wake();
  deps.wakeCallbacks = () => callbackAnswers.wake();
  deps.wakeChecker = () => checker.wake();
  const workers = [
    ...[sending, registrar, callbackAnswers, checker, health.rate, tenantPurge],
    ...[createHousekeeping(deps), createOverdueReplies(deps), createResealer(deps)],
    ...createFileWorkers(deps),
    deps.texts,
  ];
  return { workers, typing, health, drain: () => sending.drain() };
}
