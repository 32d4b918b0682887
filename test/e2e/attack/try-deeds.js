/**
 * Runs inside a page. Tries each deed in every way available to a page: with and without requesting to read the
 * response, as a form, as a picture and a script, as a beacon. Resolves with what the page itself could read: the
 * status of each response, or `null` if the browser refused it.
 */
export async function tryDeeds(deeds) {
  const initOf = ({ method, contentType, body }) => ({
    method,
    body,
    credentials: 'include',
    headers: contentType ? { 'content-type': contentType } : {},
  });
  const ended = (made) =>
    new Promise((resolve) => {
      made.addEventListener('load', resolve);
      made.addEventListener('error', resolve);
    });
  const load = async (tag, src) => {
    const made = Object.assign(document.createElement(tag), { src });
    const isDone = ended(made);
    document.body.append(made);
    await isDone;
  };
  const submit = async ({ url, method, body = 'a' }) => {
    const frame = Object.assign(document.createElement('iframe'), { name: `frame${Math.random()}` });
    const about = { action: url, method, enctype: 'text/plain', target: frame.name };
    const form = Object.assign(document.createElement('form'), about);
    form.append(Object.assign(document.createElement('input'), { name: body }));
    document.body.append(frame, form);
    const isDone = ended(frame);
    form.submit();
    await isDone;
  };
  const readable = [];
  for (const deed of deeds) {
    const answer = await fetch(deed.url, initOf(deed)).catch(() => null);
    readable.push(answer?.status ?? null);
    if (deed.method === 'DELETE') continue;
    await fetch(deed.url, { ...initOf(deed), mode: 'no-cors' }).catch(() => null);
    await submit(deed);
    if (deed.method === 'POST') navigator.sendBeacon(deed.url, deed.body ?? '');
    else await Promise.all([load('img', deed.url), load('script', deed.url)]);
  }
  return readable;
}
