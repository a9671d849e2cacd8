const UNITS = ["bytes", "KB", "MB", "GB", "TB"] as const;
const STEP = 1024;

/** `320 bytes`, `1.2 MB`, `48 MB` */
export function sizeText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= STEP - 0.5 && unit < UNITS.length - 1) {
    value /= STEP;
    unit++;
  }
  const digits = unit > 0 && value < 9.95 ? 1 : 0;
  return `${value.toFixed(digits)} ${bytes === 1 ? "byte" : UNITS[unit]}`;
}

/** `1 line (number 3)`, `3 lines (numbers 2 to 4)` */
export function numberedLines(first: number, last: number): string {
  const numbers = first === last ? `number ${first}` : `numbers ${first} to ${last}`;
  return `${count(last - first + 1, "line")} (${numbers})`;
}

/** `1 file`, `3 files` */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
