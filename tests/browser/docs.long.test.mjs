// All of docs_site.mjs.

import { examples } from '../../demo/examples/examples.js';
import { describeDocs } from './docs_site.mjs';

describeDocs({
  names: examples.map(({ name }) => name),
  looks: [
    [390, 'light'],
    [390, 'dark'],
    [1440, 'light'],
    [1440, 'dark'],
  ],
});
