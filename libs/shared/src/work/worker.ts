/** A part with a life of its own, such as a pool of workers. */
export interface Worker {
  start(): void;
  stop(): Promise<void>;
}
