// Says at an edge of the view which groups of lanes and which warps are above or below it.
import { EditorView, ViewPlugin } from "@codemirror/view";
import { liveOf, places } from "./live.js";
import { counted } from "./words.js";

/**
 * What to say of places that are out of view: "24 lanes wait at lines 62, 64". Lanes of the followed warp come before
 * other warps.
 */
export function awayWords(list) {
  const parts = [];
  for (const unit of ["lane", "warp"]) {
    const here = list.filter((one) => one.unit === unit);
    if (!here.length) continue;
    const lines = [...new Set(here.map(({ line }) => line))], n = here.reduce((sum, { count }) => sum + count, 0);
    const state = here.every(({ waits }) => waits) ? n === 1 ? " waits" : " wait" : "";
    parts.push(counted(n, unit) + state + " at " +
      (lines.length > 3 ? `${lines.length} lines` : `line${lines.length > 1 ? "s" : ""} ${lines.join(", ")}`));
  }
  return parts.join(" · ");
}

/** A pill covers so many pixels at its edge. A line is out of view if its greater half is. */
const covered = 22, half = 9;

/** Two pills, which exist only while something is out of view. A click goes to the nearest of it. */
class Away {
  constructor(view) {
    this.view = view;
    this.pills = { above: null, below: null };
    this.look();
  }

  update(update) {
    if (update.geometryChanged || update.docChanged) this.look();
  }

  look() {
    this.view.requestMeasure({ key: this, read: (view) => this.read(view), write: (found) => this.write(found) });
  }

  /** Looks at once. */
  lookNow() {
    this.write(this.read(this.view));
  }

  read(view) {
    const { scrollTop, scrollLeft, scrollHeight, clientHeight } = view.scrollDOM, { doc } = view.state;
    const { groups, others } = liveOf(view);
    const pad = view.documentPadding.top, rest = view.dom.clientHeight - clientHeight;
    this.sight = { top: scrollTop - pad, bottom: scrollTop - pad + clientHeight, left: scrollLeft,
      first: scrollTop <= 0, last: scrollTop + clientHeight >= scrollHeight - 1 };
    const list = clientHeight ? places(groups, others).map((place) => {
      const { top, bottom } = view.lineBlockAt(place.from);
      return { ...place, line: doc.lineAt(place.from).number, above: scrollTop - pad - top,
        below: bottom + pad - scrollTop - clientHeight };
    }) : [];
    // The line that runs stays in view when the view becomes lower.
    const lost = this.height - clientHeight, margin = 40;
    this.height = clientHeight;
    const runs = list.find(({ unit, waits }) => unit === "lane" && !waits);
    const sink = lost > 0 && runs?.below > -margin && runs.below <= lost ? runs.below + margin : 0;
    // What a pill would cover counts as out of view, if there is a pill.
    const beyond = (side) => list.some((one) => one[side] > half) ? list.filter((one) => one[side] > -covered) : [];
    return { above: beyond("above"), below: beyond("below"), rest, sink };
  }

  write({ above, below, rest, sink }) {
    if (sink) this.view.scrollDOM.scrollTop += sink;
    this.pill("above", "▲ ", above, above[above.length - 1]);
    this.pill("below", "▼ ", below, below[0]);
    if (this.pills.below) this.pills.below.style.bottom = `${rest + 4}px`;
  }

  pill(side, arrow, list, nearest) {
    if (!list.length) {
      this.pills[side]?.remove();
      this.pills[side] = null;
      return;
    }
    const pill = this.pills[side] ??= this.view.dom.appendChild(Object.assign(document.createElement("button"),
      { className: `ptx-away ${side}`, type: "button", tabIndex: -1, title: "Show the nearest" }));
    const text = arrow + awayWords(list);
    if (pill.textContent !== text) pill.textContent = text;
    pill.onclick = () => this.view.dispatch({ effects: EditorView.scrollIntoView(nearest.from, { y: "center" }) });
  }

  /**
   * Says whether a line is in view, its beginning too, and this far from edges beyond which there is more. In a frame
   * that is about to grow, a line in view may not be drawn yet.
   */
  shows(from, margin) {
    const { sight, view } = this, { top, bottom } = view.lineBlockAt(from);
    return !!sight && sight.left <= 0 && from >= view.viewport.from && from <= view.viewport.to &&
      (sight.first ? top >= 0 : top - margin >= sight.top) &&
      (bottom + margin <= sight.bottom || sight.last && bottom <= sight.bottom);
  }

  destroy() {
    for (const pill of Object.values(this.pills)) pill?.remove();
  }
}

export const away = ViewPlugin.fromClass(Away, { eventObservers: { scroll() { this.look(); } } });
