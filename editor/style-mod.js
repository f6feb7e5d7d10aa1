// CodeMirror writes its style sheets as <style> elements, which a content security policy of style-src 'self' refuses.
// This stands in for the style-mod package (an alias in build.sh) and hands the same rules over as constructed style
// sheets, which the policy allows because no markup can make them.
import { StyleModule as Base } from "../node_modules/style-mod/src/style-mod.js";

/** Sheets by module, and the modules of each document or shadow root in the order of their precedence. */
const sheets = new WeakMap();
const mounted = new WeakMap();

function sheetOf(module) {
  let sheet = sheets.get(module);
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(module.getRules());
    sheets.set(module, sheet);
  }
  return sheet;
}

export class StyleModule extends Base {
  /** Later modules win over earlier ones; modules mounted before keep their sheets. */
  static mount(root, modules) {
    const wanted = Array.isArray(modules) ? modules : [modules];
    const before = mounted.get(root) ?? [];
    if (wanted.every((module) => before.includes(module))) return;
    const after = before.filter((module) => !wanted.includes(module)).concat(wanted);
    const ours = new Set(before.map(sheetOf));
    mounted.set(root, after);
    // Before other constructed sheets, so that the page can override.
    root.adoptedStyleSheets = [...after.map(sheetOf), ...root.adoptedStyleSheets.filter((sheet) => !ours.has(sheet))];
  }
}
