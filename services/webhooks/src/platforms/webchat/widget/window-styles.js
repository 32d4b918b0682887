/** The look of the window, which comes with it. */
export const windowStyles = `
:host { --back: #fff; --text: #111827; --soft: #4b5563; --line: #d1d5db; --bubble: #f1f3f5; --field: #fff;
  --bad: #b91c1c; --link: #1d4ed8; color-scheme: light; }
:host([data-dark]) { --back: #14171c; --text: #f3f4f6; --soft: #b3bac5; --line: #3b424d; --bubble: #262b33;
  --field: #1c2027; --bad: #fca5a5; --link: #93c5fd; color-scheme: dark; }
.window { position: absolute; inset-block-end: 76px; inset-inline-end: 0; display: flex; flex-direction: column;
  inline-size: 390px; max-inline-size: calc(100vw - 40px); block-size: min(640px, calc(100dvh - 120px));
  overflow: hidden; border: 1px solid var(--line); border-radius: 16px; background: var(--back); color: var(--text);
  box-shadow: 0 12px 40px rgb(0 0 0 / 26%); }
:host([data-position=left]) .window { inset-inline: 0 auto; }
.window[hidden] { display: none; }
:host([data-page]) .window { position: fixed; inset: 0; inline-size: 100%; max-inline-size: none; block-size: 100dvh;
  border: 0; border-radius: 0; box-shadow: none; }
:host([data-page]) .log, :host([data-page]) .foot > * { inline-size: min(100%, 760px); margin-inline: auto; }
header { display: flex; align-items: center; gap: 8px; padding: 12px 16px; background: var(--accent);
  color: var(--on-accent); }
header div { flex: 1; min-inline-size: 0; }
h2 { margin: 0; font-size: 17px; font-weight: 600; line-height: 1.3; overflow: hidden; text-overflow: ellipsis;
  white-space: nowrap; }
header p { margin: 0; font-size: 13px; line-height: 1.35; }
.icon { display: grid; place-items: center; flex: none; inline-size: 44px; block-size: 44px; padding: 0; border: 0;
  border-radius: 10px; background: none; color: inherit; }
.icon:hover { background: rgb(128 128 128 / 18%); }
.icon svg { inline-size: 22px; block-size: 22px; }
header .icon:focus-visible { outline-color: var(--on-accent); outline-offset: -4px; }
.log { flex: 1; overflow-y: auto; overscroll-behavior: contain; padding: 16px; display: flex; flex-direction: column;
  gap: 4px; }
.log > :first-child { margin-block-start: auto; }
.message { max-inline-size: 86%; align-self: flex-start; margin-block-start: 8px; overflow-wrap: anywhere; }
.message.visitor { align-self: flex-end; }
.who { margin: 0 4px 3px; font-size: 12px; color: var(--soft); }
.visitor .who { text-align: end; }
.bubble { padding: 9px 14px; border-radius: 16px; border-end-start-radius: 4px; background: var(--bubble); }
.visitor .bubble { border-radius: 16px; border-end-end-radius: 4px; background: var(--accent); color: var(--on-accent);
  white-space: pre-wrap; }
.staff .bubble { background: var(--back); border: 1.5px solid var(--accent); }
.deleted .bubble { background: none; border: 1px dashed var(--line); color: var(--soft); font-style: italic; }
.note { align-self: center; margin: 10px 0; padding: 3px 12px; border-radius: 12px; text-align: center;
  font-size: 13px; color: var(--soft); border: 1px solid var(--line); }
.state { display: flex; gap: 6px; justify-content: flex-end; align-items: center; margin: 3px 4px 0; font-size: 12px;
  color: var(--soft); }
.thumbs { display: flex; gap: 2px; margin: 2px 4px 0; }
.thumbs button { display: grid; place-items: center; inline-size: 32px; block-size: 32px; padding: 0; border: 0;
  border-radius: 8px; background: none; color: var(--soft); }
.thumbs button:hover { background: var(--bubble); }
.thumbs button[aria-pressed=true] { color: var(--text); background: var(--bubble); }
.thumbs svg { inline-size: 18px; block-size: 18px; }
.thumbs [aria-pressed=true] svg { fill: currentColor; }
.state.bad { color: var(--bad); }
.state button { min-block-size: 24px; padding: 0 6px; border: 0; background: none; color: inherit; font-size: 12px;
  text-decoration: underline; }
.bubble > :first-child, li > :first-child, blockquote > :first-child { margin-block-start: 0; }
.bubble > :last-child, li > :last-child, blockquote > :last-child { margin-block-end: 0; }
.bubble p, .bubble ul, .bubble ol, .bubble pre, .bubble blockquote, .table { margin: 8px 0; }
.bubble ul, .bubble ol { padding-inline-start: 22px; }
.bubble a { color: var(--link); }
.bubble code { font: 0.9em/1.5 ui-monospace, Consolas, monospace; background: rgb(128 128 128 / 16%);
  border-radius: 4px; padding: 1px 4px; }
.bubble pre { overflow-x: auto; padding: 10px; border-radius: 8px; background: rgb(128 128 128 / 16%); }
.bubble pre code { background: none; padding: 0; white-space: pre; overflow-wrap: normal; }
.bubble blockquote { padding-inline-start: 10px; border-inline-start: 3px solid var(--line); color: var(--soft); }
.table { overflow-x: auto; }
table { border-collapse: collapse; font-size: 14px; }
th, td { padding: 4px 8px; border: 1px solid var(--line); text-align: start; }
hr { border: 0; border-block-start: 1px solid var(--line); }
canvas { display: block; max-inline-size: 100%; border-radius: 10px; }
.file { display: flex; align-items: center; gap: 8px; }
.file span { overflow-wrap: anywhere; text-align: start; }
.download { all: unset; cursor: pointer; text-decoration: underline; min-height: 24px; }
.download:focus-visible { outline: 2px solid; outline-offset: 2px; }
.dots { display: inline-flex; gap: 4px; padding: 4px 0; }
.dots i { inline-size: 7px; block-size: 7px; border-radius: 50%; background: var(--soft);
  animation: dot 1.2s infinite; }
.dots i:nth-child(2) { animation-delay: 0.2s; }
.dots i:nth-child(3) { animation-delay: 0.4s; }
@keyframes dot { 0%, 60%, 100% { opacity: 0.3; } 30% { opacity: 1; } }
.suggestions { display: flex; flex-wrap: wrap; gap: 8px; margin-block-start: 12px; }
.suggestions button { min-block-size: 40px; padding: 6px 14px; border: 1.5px solid var(--line); border-radius: 20px;
  background: none; color: var(--text); text-align: start; }
.suggestions button:hover { border-color: var(--accent); }
.foot { border-block-start: 1px solid var(--line); padding: 10px 12px max(10px, env(safe-area-inset-bottom)); }
.away { margin: 0 0 10px; padding: 8px 12px; border-radius: 10px; background: var(--bubble); font-size: 14px;
  white-space: pre-line; }
.away:empty { display: none; }
form.mail { flex-wrap: wrap; gap: 6px; margin-block-end: 10px; }
form.mail p, .mail-state { margin: 0 0 6px; flex-basis: 100%; font-size: 13px; color: var(--soft); }
form.mail p { margin: 0; }
.mail input { flex: 1; min-inline-size: 0; min-block-size: 40px; padding: 6px 12px; border: 1px solid #8b939f;
  border-radius: 12px; background: var(--field); color: var(--text); font: inherit; }
.mail button { min-block-size: 40px; padding: 6px 14px; border: 1.5px solid var(--line); border-radius: 20px;
  background: none; color: var(--text); font: inherit; }
.mail-state:empty, form.mail[hidden] { display: none; }
.notice { margin: 0 0 8px; font-size: 13px; color: var(--soft); }
.notice.bad { color: var(--bad); }
.notice:empty { display: none; }
form { display: flex; align-items: flex-end; gap: 4px; }
textarea { flex: 1; min-inline-size: 0; min-block-size: 44px; max-block-size: 140px; padding: 10px 12px; resize: none;
  border: 1px solid #8b939f; border-radius: 12px; background: var(--field); color: var(--text); font: inherit;
  field-sizing: content; }
textarea:focus-visible { outline-offset: 0; }
textarea::placeholder { color: var(--soft); opacity: 1; }
.send { background: var(--accent); color: var(--on-accent); }
.send:hover { background: var(--accent); filter: brightness(0.93); }
.send svg { transform: none; }
:host([dir=rtl]) .send svg { transform: scaleX(-1); }
.recording { color: var(--bad); }
.quiet { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%);
  white-space: nowrap; }
@media (max-width: 520px), (max-height: 480px) {
  .window { position: fixed; inset: 0 !important; inline-size: 100%; max-inline-size: none; block-size: 100dvh;
    border: 0; border-radius: 0; padding-block-start: env(safe-area-inset-top); background: var(--back); }
  :host([data-open]) .launcher { visibility: hidden; }
  .thumbs button { inline-size: 44px; block-size: 44px; }
}
@media (forced-colors: active) { .bubble, .icon, .thumbs button { border: 1px solid; }
  .thumbs [aria-pressed=true] { border-width: 3px; } }
`;
