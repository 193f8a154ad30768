// Scenes of the demo page the other way: without threads what demo.test.mjs runs with them.

import { describeScenes, firstHalf, secondHalf } from './demo_scenes.mjs';

describeScenes('threaded', secondHalf);
describeScenes('single', firstHalf);
