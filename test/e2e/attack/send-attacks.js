/**
 * Runs inside a page. Tries each attack in every way available to a page: with and without requesting to read the
 * response, as a form, as a picture and a script, as a beacon. Resolves with what the page itself could read: the
 * status of each response, or `null` if the browser refused it.
 */
export async function sendAttacks(attacks) {
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
  for (const attack of attacks) {
    const answer = await fetch(attack.url, initOf(attack)).catch(() => null);
    readable.push(answer?.status ?? null);
    if (attack.method === 'DELETE') continue;
    await fetch(attack.url, { ...initOf(attack), mode: 'no-cors' }).catch(() => null);
    await submit(attack);
    if (attack.method === 'POST') navigator.sendBeacon(attack.url, attack.body ?? '');
    else await Promise.all([load('img', attack.url), load('script', attack.url)]);
  }
  return readable;
}
