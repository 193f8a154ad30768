// What is in a handle: a row in its lowest bits, and a generation above them.

import { mostRows } from '../generated/flags.js';

/** Row of the table of its kind that a handle names. @param {number} handle @returns {number} */
export const rowOf = (handle) => handle & (mostRows - 1);
