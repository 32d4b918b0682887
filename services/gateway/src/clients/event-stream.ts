/** Whether an answer is server-sent events. */
export const isEventStream = (type: string | string[] | undefined): boolean =>
  typeof type === 'string' && type.toLowerCase().startsWith('text/event-stream');
