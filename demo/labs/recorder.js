// What a lab measures: one row of numbers a step, as columns, and as a CSV file.

const FIRST_ROWS = 1 << 12;
const MOST_ROWS = 1 << 17; // half an hour of steps; then the older half goes

export class Recorder {
  /** Of the rows there are. */
  count = 0;
  /** @type {string[]} with units, as the file's first line has them */
  names;
  /** @type {Float64Array[]} one a name; the first `count` numbers count */
  columns;

  /** @param {string[]} names */
  constructor(names) {
    this.names = names;
    this.columns = names.map(() => new Float64Array(FIRST_ROWS));
  }

  /** @param {ArrayLike<number>} row a number a name; copied */
  add(row) {
    this.#makeRoom();
    for (let i = 0; i < this.columns.length; ++i) this.columns[i][this.count] = row[i];
    this.count += 1;
  }

  clear() {
    this.count = 0;
  }

  /**
   * A number of the row that is `back` rows before the last one.
   * @param {number} column @param {number} back
   */
  last(column, back = 0) {
    return this.columns[column][Math.max(0, this.count - 1 - back)];
  }

  /**
   * The mean of the last rows of a column, as far as there are.
   * @param {number} column @param {number} rows
   */
  mean(column, rows) {
    const begin = Math.max(0, this.count - rows);
    let sum = 0;
    for (let i = begin; i < this.count; ++i) sum += this.columns[column][i];
    return this.count > begin ? sum / (this.count - begin) : NaN;
  }

  /** @returns {string} a line of names, and one a row */
  toCsv() {
    const lines = [this.names.join(',')];
    for (let i = 0; i < this.count; ++i) {
      lines.push(this.columns.map((column) => Number(column[i].toPrecision(9))).join(','));
    }
    return `${lines.join('\n')}\n`;
  }

  /** Hands the rows to the browser as a file. @param {string} file */
  download(file) {
    const address = URL.createObjectURL(new Blob([this.toCsv()], { type: 'text/csv' }));
    const link = document.createElement('a');
    link.href = address;
    link.download = file;
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  }

  #makeRoom() {
    const room = this.columns[0].length;
    if (this.count < room) return;
    if (room < MOST_ROWS) {
      this.columns = this.columns.map((column) => {
        const longer = new Float64Array(2 * room);
        longer.set(column);
        return longer;
      });
    } else {
      const kept = room >> 1;
      for (const column of this.columns) column.copyWithin(0, room - kept);
      this.count = kept;
    }
  }
}
