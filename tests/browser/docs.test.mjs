// A part of docs_site.mjs: what differs most. All examples have run in Node (tests/node/examples.test.mjs).

import { describeDocs } from './docs_site.mjs';

describeDocs({
  names: ['vehicle', 'impact-sounds', 'mesh', 'mouse-pull'],
  looks: [
    [390, 'light'],
    [1440, 'dark'],
  ],
});
