import { hasErrorCode, type System } from "../system/index.ts";

/**
 * The text of a file, or undefined when there is none. Bytes that are not UTF-8 are replaced. Everything else
 * that goes wrong, a file over the limit (`EFBIG`) included, is thrown as `SystemError`.
 */
export function readText(
  system: Pick<System, "files" | "text">,
  path: string,
  limitBytes: number,
): string | undefined {
  return readExactText(system, path, limitBytes)?.text;
}

/** As `readText`, telling whether bytes had to be replaced. */
export function readExactText(
  system: Pick<System, "files" | "text">,
  path: string,
  limitBytes: number,
): { readonly text: string; readonly replaced: boolean } | undefined {
  try {
    return system.text.decode(system.files.read(path, limitBytes));
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
}
