/**
 * Wakes a worker for code that is made before the worker. Workers look for due work when they start, so nothing is
 * lost while none has subscribed.
 */
export class Wakeup<Args extends unknown[] = [inMs?: number]> {
  #worker: { wake(...args: Args): void } | undefined;

  subscribe(worker: { wake(...args: Args): void }): void {
    this.#worker = worker;
  }

  readonly wake = (...args: Args): void => this.#worker?.wake(...args);
}
