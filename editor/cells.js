// What cells of the lane grid show. A call from the engine into the page costs as much as what it does there; so one call
// writes all changes of a row.

/**
 * Writes changes of a row: "lane key value" lines with tabs between, where key is t for the text, c for the class, n for
 * the note, l for the name and a for whether the lane is active. A text goes into the node that is there: another one
 * would be styled and laid out as new.
 */
export function writeCells(row, changes) {
  const cells = row.children; // the row's header is the first
  for (const line of changes.split("\n")) {
    const [lane, key, value] = line.split("\t");
    const cell = cells[Number(lane) + 1];
    if (key === "c") cell.className = value;
    else if (key === "n") cell.dataset.note = value;
    else if (key === "l") cell.ariaLabel = cell.title = value;
    else if (key === "a") cell.dataset.active = value;
    else if (value && cell.firstChild) cell.firstChild.data = value;
    else cell.textContent = value;
  }
}
