// The script of a thread in a page: it waits for the module and the memory that it shares.
import createCairnModule from './cairn.mt.web.js';

createCairnModule({ isThread: true });
