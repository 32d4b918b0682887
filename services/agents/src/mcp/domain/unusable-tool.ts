/**
 * `gone`: it can't be called. `away`: its server can't be read at the moment. `unlinked`: the person has to connect an
 * account of their own first.
 */
export class UnusableTool extends Error {
  override readonly name = 'UnusableTool';
  readonly fault: 'gone' | 'away' | 'unlinked';

  constructor(fault: UnusableTool['fault'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}
