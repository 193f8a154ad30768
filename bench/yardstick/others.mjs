// How busy other processes keep the machine (Linux): what says how far to trust a timing.
import { readdirSync, readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

const TICK = 1 / 100; // seconds, the unit of /proc

/** Processor seconds of this process. */
function ownSeconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** Processor seconds of this process and of those below it that still run. */
export function treeSeconds() {
  const processes = new Map();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      // its name is in parentheses and may have spaces
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ');
      processes.set(Number(pid), {
        parent: Number(fields[1]),
        seconds: (Number(fields[11]) + Number(fields[12])) * TICK,
      });
    } catch {
      // it ended meanwhile
    }
  }
  const isBelow = (pid) => pid === process.pid || (processes.has(pid) && isBelow(processes.get(pid).parent));
  let sum = 0;
  for (const [pid, { seconds }] of processes) if (isBelow(pid)) sum += seconds;
  return sum;
}

function now(ours) {
  const [, ...t] = readFileSync('/proc/stat', 'utf8').split('\n')[0].trim().split(/\s+/).map(Number);
  const all = (t[0] + t[1] + t[2] + t[5] + t[6]) * TICK;
  return { others: all - ours(), wall: performance.now() / 1000 };
}

/** Starts to watch; gives a function that says how many processors others kept busy since. */
export function watchOthers(ours = ownSeconds) {
  const before = now(ours);
  return () => {
    const after = now(ours);
    return Math.max(0, (after.others - before.others) / (after.wall - before.wall));
  };
}
