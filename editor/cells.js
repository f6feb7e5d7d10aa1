// What cells of the lane grid show. A call from the engine into the page costs as much as what it does there; so one call
// writes all changes of a row.

/**
 * Writes changes of a row: "lane key value" lines with tabs between, where key is t for the text, c for the class, n for
 * the note, l for the name and a for whether the lane is active; of any lane, h is for the row's header, r for the
 * register of all cells.
 */
export function writeCells(row, changes) {
  const cells = row.children; // the row's header is the first
  for (const line of changes.split("\n")) {
    const [lane, key, value, ...rest] = line.split("\t");
    const cell = cells[Number(lane) + 1];
    if (key === "h") writeHead(cells[0], value, ...rest);
    else if (key === "r") [...cells].slice(1).forEach((one) => writeRegister(one, value));
    else if (key === "c") cell.className = value;
    else if (key === "n") cell.dataset.note = value;
    else if (key === "l") cell.ariaLabel = cell.title = value;
    else if (key === "a") cell.dataset.active = value;
    else writeText(cell, value);
  }
}

/** Writes the header of an operand: its name, and its role or region with a class. */
function writeHead({ children: [name, role] }, ...texts) {
  [name.title, role.title, role.className] = texts;
  writeText(name, name.title);
  writeText(role, role.title);
}

/** Makes a cell another register's. Its title, the long form of its value, was about the one before. */
function writeRegister(cell, name) {
  cell.dataset.reg = name;
  cell.removeAttribute("title");
}

/** Gives an element a text. It goes into the node that is there: another one would be styled and laid out as new. */
export function writeText(element, text) {
  if (text && element.firstChild) element.firstChild.data = text;
  else element.textContent = text;
}
