// The worker that loadInWorker() makes in Node.

import { serve } from './serve.node.js';

serve();
