// Passing on what one sees: as a link on the clipboard, or by what the device offers.

const toast = /** @type {HTMLElement} */ (document.getElementById('toast'));
let hide = 0;

/** A few words that go by themselves. @param {string} text */
export function say(text) {
  toast.textContent = text;
  toast.classList.add('shown');
  clearTimeout(hide);
  hide = window.setTimeout(() => toast.classList.remove('shown'), 2600);
}

/** @param {string} address @param {string} title */
export async function share(address, title) {
  if (matchMedia('(hover: none)').matches && navigator.share) {
    try {
      await navigator.share({ title, url: address });
      return;
    } catch (error) {
      if (/** @type {Error} */ (error).name === 'AbortError') return; // the user thought better of it
    }
  }
  try {
    await navigator.clipboard.writeText(address);
    say('Link copied');
  } catch {
    // no clipboard for this page: the address bar has it
    history.replaceState(null, '', address);
    say('The link is in the address bar');
  }
}
