/** DOM helpers for all parts of the page. */

export const byId = (id) => document.getElementById(id);

/** @param {string} tag @param {string} className @param {...(Node|string)} children */
export function element(tag, className, ...children) {
  const made = document.createElement(tag);
  if (className !== '') made.className = className;
  made.append(...children);
  return made;
}

/** @param {{label?: string, className?: string, onClick: () => void}} about @param {...(Node|string)} children */
export function button({ label, className = '', onClick }, ...children) {
  const made = element('button', className, ...children);
  made.type = 'button';
  if (label !== undefined) {
    made.title = label;
    made.setAttribute('aria-label', label);
  }
  made.addEventListener('click', onClick);
  return made;
}

const hues = ['blue', 'violet', 'green', 'orange', 'pink', 'teal'];

/** Returns the color of a number, the same everywhere. A supergroup keeps the color of its former group. */
export const hueOf = (id) => hues[(Math.abs(Number(id)) % 1e12) % hues.length];

export function avatar(name, id, kind = 'person') {
  const letter = [...name.trim()][0] ?? '?';
  const made = element('span', `avatar ${kind}`, kind === 'topic' ? '#' : letter.toUpperCase());
  made.dataset.hue = hueOf(id);
  made.setAttribute('aria-hidden', 'true');
  return made;
}

export function timeOf(iso) {
  return new Date(iso).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
}

export function dayOf(iso) {
  const day = new Date(iso);
  if (day.toDateString() === new Date().toDateString()) return 'Today';
  return day.toLocaleDateString([], { weekday: 'long', day: 'numeric', month: 'long' });
}

let toastTimer;

/** Shows a line that disappears by itself. */
export function toast(text) {
  const line = byId('toast');
  line.textContent = text;
  line.hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => {
    line.hidden = true;
  }, 5000);
}

/** Opens a popover below or above its button, inside the window. */
export function openMenu(menu, anchor) {
  menu.showPopover();
  const { left, right, top, bottom } = anchor.getBoundingClientRect();
  const { offsetWidth, offsetHeight } = menu;
  const isLow = bottom + offsetHeight + 8 > innerHeight;
  menu.style.top = `${Math.max(8, isLow ? top - offsetHeight - 6 : bottom + 6)}px`;
  const wanted = left + offsetWidth + 8 > innerWidth ? right - offsetWidth : left;
  menu.style.left = `${Math.max(8, wanted)}px`;
  menu.querySelector('button')?.focus();
}

/** Fills a menu with rows of a text, an optional hint and an action. */
export function fillMenu(menu, rows) {
  menu.replaceChildren(
    ...rows.map(({ text, hint, isDanger, isChosen, picture, onClick }) => {
      const words = element('span', 'words', element('span', '', text));
      if (hint) words.append(element('small', '', hint));
      const row = button(
        {
          className: isDanger ? 'row danger' : 'row',
          onClick: () => {
            menu.hidePopover();
            onClick();
          },
        },
        ...(picture ? [picture] : []),
        words,
      );
      if (isChosen) row.setAttribute('aria-current', 'true');
      return row;
    }),
  );
  menu.onkeydown = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const all = [...menu.querySelectorAll('button')];
    all.at((all.indexOf(document.activeElement) + step) % all.length)?.focus();
  };
}
