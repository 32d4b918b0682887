/**
 * Wakes a worker for code that is made before the worker. Workers look for due work when they start, so nothing is
 * lost while none has subscribed.
 */
export class Wakeup {
  #worker: { wake(inMs?: number): void } | undefined;

  subscribe(worker: { wake(inMs?: number): void }): void {
    this.#worker = worker;
  }

  readonly wake = (inMs?: number): void => this.#worker?.wake(inMs);
}
