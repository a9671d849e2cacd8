import { usageError } from "../../cli/index.ts";

const SECOND_MS = 1000;
const MS_OF: Readonly<Record<string, number>> = {
  s: SECOND_MS,
  m: 60 * SECOND_MS,
  min: 60 * SECOND_MS,
  h: 3600 * SECOND_MS,
  d: 24 * 3600 * SECOND_MS,
  w: 7 * 24 * 3600 * SECOND_MS,
};
const KB = 1024;
const BYTES_OF: Readonly<Record<string, number>> = {
  b: 1,
  kb: KB,
  mb: KB ** 2,
  gb: KB ** 3,
  tb: KB ** 4,
};

/** `90s`, `10m`, `2h`, `7d`, `2w` */
export function readDuration(option: string, text: string): number {
  return read(text, MS_OF) ?? refuse(option, text, "a time such as 10m, 2h or 7d");
}

/** `800kb`, `500mb`, `2gb` */
export function readSize(option: string, text: string): number {
  return read(text, BYTES_OF) ?? refuse(option, text, "a size such as 500mb or 2gb");
}

function read(text: string, units: Readonly<Record<string, number>>): number | undefined {
  const [, number = "", unit = ""] = /^(\d+(?:\.\d+)?) ?([a-z]+)$/.exec(text.trim().toLowerCase()) ?? [];
  return Object.hasOwn(units, unit) ? Number(number) * (units[unit] ?? 0) : undefined;
}

function refuse(option: string, text: string, expected: string): never {
  throw usageError(`--${option} must be ${expected}, not '${text}'`);
}
