/** Loads the chat into a page: `<script src="https://bots.example/chat.js" data-bot="…" async></script>`. */
(() => {
  const script = document.currentScript;
  if (!(script instanceof HTMLScriptElement) || window.Botyard) return;
  const { origin } = new URL(script.src);
  const calls = [];
  const later =
    (name) =>
    (...args) =>
      void calls.push([name, args]);
  // Calls before the chat is loaded are made afterwards.
  window.Botyard = { open: later('open'), close: later('close'), identify: later('identify') };
  import(`${origin}/chat/__VERSION__/start.js`)
    .then(({ start }) => start({ origin, calls, data: { ...script.dataset } }))
    .catch(() => undefined);
})();
