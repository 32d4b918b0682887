/** A sheet that is made by a script needs no permission for inline styles. */
export function sheetOf(text) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  return sheet;
}

export const buttonStyles = `
:host { all: initial; position: fixed; z-index: 2147483000; inset-block-end: 20px; inset-inline-end: 20px;
  font: 16px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
:host([data-position=left]) { inset-inline: 20px auto; }
:host([data-page]) { inset: 0; }
* { box-sizing: border-box; }
svg { inline-size: 24px; block-size: 24px; fill: none; stroke: currentColor; stroke-width: 2;
  stroke-linecap: round; stroke-linejoin: round; display: block; }
button { font: inherit; cursor: pointer; }
.launcher { position: relative; display: grid; place-items: center; inline-size: 60px; block-size: 60px; padding: 0;
  border: 0; border-radius: 50%; background: var(--accent); color: var(--on-accent);
  box-shadow: 0 4px 16px rgb(0 0 0 / 28%); transition: transform 120ms; }
.launcher:hover { transform: scale(1.05); }
.launcher svg { inline-size: 28px; block-size: 28px; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; }
.count { position: absolute; inset-block-start: -4px; inset-inline-end: -4px; min-inline-size: 24px; padding: 0 6px;
  border-radius: 12px; background: #b91c1c; color: #fff; font: 600 14px/24px system-ui, sans-serif; }
@media (prefers-reduced-motion: reduce) { * { transition: none !important; animation: none !important; } }
@media (forced-colors: active) { .launcher { border: 2px solid ButtonText; } }
`;
