/** The text of a response; an endless event stream is closed, and its text omitted. */
export async function readUnlessStreaming(answer: Response): Promise<string> {
  if (answer.headers.get('content-type')?.startsWith('text/event-stream') !== true)
    return await answer.text();
  await answer.body?.cancel();
  return '';
}
