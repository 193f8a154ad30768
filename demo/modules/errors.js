// Errors on the page: whatever goes wrong anywhere ends here and is shown, once, in words.

/** @type {string[]} */
export const errors = [];

const card = /** @type {HTMLElement} */ (document.getElementById('error'));
const title = /** @type {HTMLElement} */ (document.getElementById('error-title'));
const message = /** @type {HTMLElement} */ (document.getElementById('error-message'));
const detail = /** @type {HTMLElement} */ (document.getElementById('error-detail'));
const retry = /** @type {HTMLElement} */ (document.getElementById('error-retry'));
const close = /** @type {HTMLElement} */ (document.getElementById('error-close'));

/** @type {() => void} */
let again = () => location.reload();

/**
 * @param {string} heading what was tried
 * @param {unknown} error
 * @param {() => void} [tryAgain] reloads the page by default
 * @param {string} [advice] what the reader can do
 */
export function showError(heading, error, tryAgain = () => location.reload(), advice = '') {
  const { text, more } = describe(error);
  errors.push(`${heading}: ${text}`);
  again = tryAgain;
  title.textContent = heading;
  message.textContent = advice || text;
  detail.textContent = advice ? text : more;
  card.hidden = false;
  document.body.dataset.failed = 'true';
}

export function hideError() {
  card.hidden = true;
  delete document.body.dataset.failed;
}

/** Shows what nobody caught. */
export function watchErrors() {
  addEventListener('error', (event) => showError('The page met an error', event.error ?? event.message));
  addEventListener('unhandledrejection', (event) => showError('The page met an error', event.reason));
  close.addEventListener('click', hideError);
  retry.addEventListener('click', () => {
    hideError();
    again();
  });
}

/** @param {unknown} error @returns {{ text: string, more: string }} */
function describe(error) {
  if (!(error instanceof Error)) return { text: String(error), more: '' };
  const { code, argument } = /** @type {{ code?: unknown, argument?: unknown }} */ (
    /** @type {unknown} */ (error)
  );
  const parts = [];
  if (typeof code === 'string') parts.push(code);
  if (typeof argument === 'string' && argument !== '' && !error.message.includes(argument))
    parts.push(argument);
  return { text: error.message || error.name, more: parts.join(' · ') };
}
