// Sliders, choices, buttons and tables of a lab: elements with labels and units, in the order in which they
// are made.

const controls = /** @type {HTMLElement} */ (document.getElementById('controls'));
const actions = /** @type {HTMLElement} */ (document.getElementById('actions'));
const readings = /** @type {HTMLElement} */ (document.getElementById('readings'));

controls.addEventListener('submit', (event) => event.preventDefault());

/** @param {string} text */
function addLabel(text) {
  const label = document.createElement('label');
  const words = document.createElement('span');
  words.textContent = text;
  label.append(words);
  controls.append(label);
  return label;
}

/**
 * @param {{ id: string, label: string, unit: string, min: number, max: number, step: number, value: number,
 *   digits?: number, onInput: (value: number) => void }} options `onInput` is called at every move
 * @returns {{ value: number }} what it stands at, read and set; setting it calls nothing
 */
export function addSlider({ id, label, unit, min, max, step, value, digits = 2, onInput }) {
  const input = document.createElement('input');
  Object.assign(input, { id, type: 'range', min, max, step });
  const output = document.createElement('output');
  addLabel(label).append(input, output);
  const show = () => {
    output.value = `${Number(input.value).toFixed(digits)}${unit && ` ${unit}`}`;
    input.ariaValueText = output.value;
  };
  input.value = String(value);
  show();
  input.addEventListener('input', () => {
    show();
    onInput(Number(input.value));
  });
  return {
    get value() {
      return Number(input.value);
    },
    set value(next) {
      input.value = String(next);
      show();
    },
  };
}

/**
 * @param {{ id: string, label: string, choices: string[], value: string, onChange: (value: string)
 *   => void }} options
 */
export function addChoice({ id, label, choices, value, onChange }) {
  const select = document.createElement('select');
  select.id = id;
  for (const choice of choices) {
    const option = document.createElement('option');
    option.textContent = option.value = choice;
    option.selected = choice === value;
    select.append(option);
  }
  addLabel(label).append(select);
  select.addEventListener('change', () => onChange(select.value));
}

/** @param {{ id: string, label: string, onClick: () => void }} options */
export function addButton({ id, label, onClick }) {
  const button = document.createElement('button');
  Object.assign(button, { id, type: 'button', className: 'chip', textContent: label });
  button.addEventListener('click', onClick);
  actions.append(button);
}

/**
 * A table of what is read.
 *
 * @param {string[]} head the first names the rows
 * @param {{ name: string, colour?: string }[]} rows
 * @returns {(row: number, cells: string[]) => void} writes what stands beside a row's name
 */
export function addTable(head, rows) {
  const table = document.createElement('table');
  const top = table.createTHead().insertRow();
  for (const text of head) {
    const cell = document.createElement(text === '' ? 'td' : 'th');
    if (text !== '') cell.setAttribute('scope', 'col');
    cell.textContent = text;
    top.append(cell);
  }
  const body = table.createTBody();
  const cells = rows.map(({ name, colour }) => {
    const row = body.insertRow();
    const first = row.insertCell();
    if (colour) {
      const mark = document.createElement('i');
      mark.style.background = colour;
      first.append(mark);
    }
    first.append(name);
    return head.slice(1).map(() => row.insertCell());
  });
  readings.append(table);
  return (row, texts) => {
    texts.forEach((text, i) => {
      if (cells[row][i].textContent !== text) cells[row][i].textContent = text;
    });
  };
}
