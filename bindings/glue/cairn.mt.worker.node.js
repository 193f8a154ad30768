// The script of a thread in Node: it waits for the module and the memory that it shares.
import createCairnModule from './cairn.mt.node.js';

createCairnModule({ isThread: true });
