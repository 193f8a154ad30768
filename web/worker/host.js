// The worker that loadInWorker() makes in a page.

import { serve } from './serve.js';

serve();
