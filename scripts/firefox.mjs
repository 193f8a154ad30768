// The second browser, in which the packed package is tried.
import { which } from './process.mjs';

/** The Firefox that CN_FIREFOX names, or else an installed one. */
export function findFirefox() {
  return which(
    process.env.CN_FIREFOX,
    'firefox-esr',
    'firefox',
    '/Applications/Firefox.app/Contents/MacOS/firefox',
  );
}
