import { basename, dirname, extension } from "../system/index.ts";

/** Whether a path is a log, one of its put-away files, or the lock beside it; nothing is looked up. */
export function belongsToLog(log: string, path: string): boolean {
  if (path === log || path.startsWith(`${log}.lock`)) return true;
  const { stem, ending } = splitName(log);
  return dirname(path) === dirname(log) && isRotation(basename(path), stem, ending);
}

/** The name of a put-away file. */
export function isRotation(name: string, stem: string, ending: string): boolean {
  const label = name.slice(stem.length + 1, name.length - ending.length);
  return name.startsWith(`${stem}.`) && name.endsWith(ending) && /^\d{8}_\d{6}(_\d{3})?$/.test(label);
}

export function splitName(path: string): { stem: string; ending: string } {
  const ending = extension(path);
  return { stem: basename(path).slice(0, basename(path).length - ending.length), ending };
}
