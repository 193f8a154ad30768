// Light or dark: as the system has it, until the user chooses.

const KEY = 'cairn-theme';

/** @typedef {'light' | 'dark'} ThemeName */

const system = matchMedia('(prefers-color-scheme: dark)');

/** @type {ThemeName | null} null: as the system */
let chosen = readChoice();

/** @returns {ThemeName | null} */
function readChoice() {
  try {
    const value = localStorage.getItem(KEY);
    return value === 'light' || value === 'dark' ? value : null;
  } catch {
    return null; // storage is closed to this page
  }
}

/** @param {ThemeName} theme */
function keepChoice(theme) {
  chosen = theme;
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // storage is closed to this page: the choice lasts as long as the page
  }
}

/** @returns {ThemeName} */
function currentTheme() {
  return chosen ?? (system.matches ? 'dark' : 'light');
}

/**
 * Applies the theme now and whenever it changes.
 *
 * @param {(theme: ThemeName) => void} apply
 */
export function watchTheme(apply) {
  const button = document.getElementById('theme');
  const colour = document.querySelector('meta[name="theme-color"]');
  const update = () => {
    const theme = currentTheme();
    document.documentElement.dataset.theme = theme;
    button?.setAttribute('aria-pressed', String(theme === 'dark'));
    colour?.setAttribute('content', theme === 'dark' ? '#15191e' : '#eceef0');
    apply(theme);
  };
  button?.addEventListener('click', () => {
    keepChoice(currentTheme() === 'dark' ? 'light' : 'dark');
    update();
  });
  system.addEventListener('change', update);
  update();
}
