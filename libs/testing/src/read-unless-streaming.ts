/** The text of an answer; an endless event stream is closed, and its text left out. */
export async function readUnlessStreaming(answer: Response): Promise<string> {
  if (answer.headers.get('content-type')?.startsWith('text/event-stream') !== true)
    return await answer.text();
  await answer.body?.cancel();
  return '';
}
