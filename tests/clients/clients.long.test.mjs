// The clients that clients.test.mjs leaves out: servers of bundlers, and bundlers that take their time.

import { cases } from './cases.mjs';
import { testCases } from './test_cases.mjs';

testCases(cases.filter(({ isShort }) => !isShort));
