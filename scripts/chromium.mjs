// The browser that tests and the yardstick drive.
import { which } from './process.mjs';

/** The Chromium (or Chrome) that CN_CHROMIUM names, or else an installed one. */
export function findChromium() {
  return which(
    process.env.CN_CHROMIUM,
    'chromium',
    'chromium-browser',
    'google-chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  );
}

/** Without a graphics card, and without asking anything of the network. */
export const CHROMIUM_ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
