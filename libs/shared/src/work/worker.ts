/** A part that is started and stopped, such as a pool of workers. */
export interface Worker {
  start(): void;
  stop(): Promise<void>;
}
