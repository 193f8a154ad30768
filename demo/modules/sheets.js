// Where there is little room, scenes, measurements and what is shown are sheets that come from below, one at
// a time. Elsewhere they are cards and bars that are always there.

const compact = matchMedia('(max-width: 959.98px)');

const OPENERS = /** @type {const} */ ({ gallery: 'gallery-open', panel: 'panel-open', options: 'more' });

/** @typedef {keyof typeof OPENERS} SheetName */

/** @param {string} id */
const element = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

const scrim = element('scrim');

/** @type {SheetName | null} */
let open = null;

export function isCompact() {
  return compact.matches;
}

export function isSheetOpen() {
  return open !== null;
}

/** @param {SheetName} name */
function openSheet(name) {
  if (open !== null) closeSheet();
  open = name;
  const sheet = element(name);
  sheet.classList.add('open');
  scrim.hidden = false;
  element(OPENERS[name]).setAttribute('aria-expanded', 'true');
  for (const other of document.body.children) {
    if (other !== sheet && other !== scrim && !other.contains(sheet)) other.toggleAttribute('inert', true);
  }
  const first = sheet.querySelector('[aria-current="true"]') ?? sheet.querySelector('.close');
  /** @type {HTMLElement | null} */ (first)?.focus({ preventScroll: true });
  first?.scrollIntoView({ block: 'nearest' });
}

/** Gives the focus back to what opened it. */
export function closeSheet() {
  if (open === null) return;
  const name = open;
  open = null;
  element(name).classList.remove('open');
  scrim.hidden = true;
  for (const other of document.body.children) other.removeAttribute('inert');
  const opener = element(OPENERS[name]);
  opener.setAttribute('aria-expanded', 'false');
  opener.focus({ preventScroll: true });
}

/** Overlays and links are in the bar and on the caption, or in their sheet. */
function place() {
  closeSheet();
  const small = compact.matches;
  element(small ? 'options' : 'caption').append(element('links'));
  if (small) element('links').before(element('overlays'));
  else element('bar').insertBefore(element('overlays'), element('bar').lastElementChild);
}

/** @param {() => void} onOpen called before a sheet is shown */
export function listenToSheets(onOpen) {
  for (const [name, opener] of Object.entries(OPENERS)) {
    element(opener).addEventListener('click', () => {
      onOpen();
      openSheet(/** @type {SheetName} */ (name));
    });
  }
  for (const button of document.querySelectorAll('.sheet .close'))
    button.addEventListener('click', closeSheet);
  scrim.addEventListener('click', closeSheet);
  compact.addEventListener('change', place);
  place();
}
