/**
 * Replaces the identity provider's browser library, as far as the console uses it. Like the real one it loads a part
 * of itself by a textual address, keeps its session across reloads, and notifies its listeners of changes.
 */
(() => {
  const here = new URL(document.currentScript.src).origin;
  const listeners = new Set();
  const kept = 'session-of-the-provider';
  const sessionOf = (id) =>
    id === null
      ? null
      : {
          id,
          getToken: async () => (await fetch(`${here}/v1/sessions/${id}/tokens`, { method: 'POST' })).text(),
        };
  const change = (id) => {
    if (id === null) localStorage.removeItem(kept);
    else localStorage.setItem(kept, id);
    library.session = sessionOf(id);
    for (const changed of listeners) changed();
  };
  const library = {
    session: null,
    async load() {
      const part = document.createElement('script');
      part.src = `${here}/npm/part.js`;
      await new Promise((resolve, reject) => {
        part.onload = resolve;
        part.onerror = reject;
        document.head.append(part);
      });
      library.session = sessionOf(localStorage.getItem(kept));
    },
    addListener(changed) {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    mountSignIn(place) {
      for (const person of ['anna', 'ben', 'cleo', 'dora']) {
        const button = document.createElement('button');
        button.textContent = `Sign in as ${person}`;
        button.onclick = () => change(`sess_${person}`);
        place.append(button);
      }
    },
    signOut: async () => change(null),
  };
  window.Clerk = library;
})();
