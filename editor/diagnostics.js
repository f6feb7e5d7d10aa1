// What is wrong in the text, as CodeMirror holds it.
import { forEachDiagnostic } from "@codemirror/lint";

/**
 * Whether the text has these diagnostics already, in the ranges to which its changes have moved them. To set them costs a
 * transaction, even where there are none. Those that are set have what they show in "about".
 */
export function sameDiagnostics(state, next) {
  const left = new Map();
  const key = (from, to, { severity, message, about }) => JSON.stringify([from, to, severity, message, about]);
  for (const one of next) left.set(key(one.from, one.to, one), (left.get(key(one.from, one.to, one)) ?? 0) + 1);
  let same = true, count = 0;
  forEachDiagnostic(state, (one, from, to) => {
    const n = left.get(key(from, to, one)) ?? 0;
    same &&= n > 0;
    left.set(key(from, to, one), n - 1);
    count++;
  });
  return same && count === next.length;
}
