// Numbers as the editor writes them.

/** "1 lane", "2,048 times". */
export const thousands = new Intl.NumberFormat("en"); // toLocaleString makes one each time
export const counted = (n, noun) => `${thousands.format(n)} ${noun}${n === 1 ? "" : "s"}`;

/** How many lanes a mask has, of either sign. */
export const popcount = (mask) => (mask >>> 0).toString(2).replaceAll("0", "").length;

/** 999, 1.2k, 45k, 3.1M: never more than four characters. */
export function short(count) {
  for (const [unit, letter] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (count >= unit) {
      const value = count / unit;
      return (value < 10 ? Math.floor(value * 10) / 10 : Math.floor(value)) + letter;
    }
  }
  return String(count < 10 ? Math.floor(count * 10) / 10 : Math.floor(count));
}

/** A value in the room of so many lanes, two letters each: hex loses its 0x; "" if it does not fit. */
export function inLanes(text, lanes) {
  return [text, text.replace(/^0x/, "")].find((t) => t.length <= 2 * lanes) ?? "";
}
