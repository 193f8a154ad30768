// Clients that are built and run in a minute or two; the others are in clients.long.test.mjs.

import { cases } from './cases.mjs';
import { testCases } from './test_cases.mjs';

testCases(cases.filter(({ isShort }) => isShort));
