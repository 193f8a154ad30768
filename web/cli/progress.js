// One line on standard error that says how far a run is; nothing where it is no terminal.

const pauseMs = 100;

export class Progress {
  #isShown = process.stderr.isTTY === true;
  #last = 0;
  #start = performance.now();
  #chunk = 1;

  /** Steps to do before it is time to look at the clock again. @returns {number} */
  get chunk() {
    return this.#isShown ? this.#chunk : Infinity;
  }

  /**
   * @param {number} step done so far
   * @param {number} steps
   * @param {number} timeStep s
   */
  update(step, steps, timeStep) {
    if (!this.#isShown) return;
    const now = performance.now();
    const rate = step / Math.max(1e-3, (now - this.#start) / 1000);
    this.#chunk = Math.max(1, Math.floor((rate * pauseMs) / 1000));
    if (now - this.#last < pauseMs) return;
    this.#last = now;
    const percent = Math.floor((100 * step) / steps);
    const bar = '#'.repeat(Math.floor(percent / 5)).padEnd(20, '.');
    const time = (step * timeStep).toFixed(2);
    process.stderr.write(`\r${bar} ${percent} %  t = ${time} s  ${Math.round(rate)} steps/s\x1b[K`);
  }

  /** Of work that is no run of steps. @param {number} part 0…1 */
  show(part) {
    const now = performance.now();
    if (!this.#isShown || now - this.#last < pauseMs) return;
    this.#last = now;
    const percent = Math.floor(100 * part);
    process.stderr.write(`\r${'#'.repeat(Math.floor(percent / 5)).padEnd(20, '.')} ${percent} %\x1b[K`);
  }

  clear() {
    if (this.#isShown) process.stderr.write('\r\x1b[K');
  }
}
