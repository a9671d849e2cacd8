import { type Files, SystemError } from "./system.ts";

/** `Files.stampsOf`, one look after the other. */
export function joinStamps(paths: string, exactFacts: Files["exactFacts"]): string {
  const stampOf = (path: string) => {
    try {
      return exactFacts(path)?.stamp ?? "";
    } catch (error) {
      if (error instanceof SystemError) return error.code;
      throw error;
    }
  };
  return paths.split("\0").map(stampOf).join("\n");
}
