/** The text of an answer; of a stream of events, which has no end, nothing: it is closed. */
export async function readUnlessStreaming(answer: Response): Promise<string> {
  if (answer.headers.get('content-type')?.startsWith('text/event-stream') !== true)
    return await answer.text();
  await answer.body?.cancel();
  return '';
}
