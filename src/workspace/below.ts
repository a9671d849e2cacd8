import { components, isInside } from "../system/index.ts";

/** The parts of a path below a directory; undefined when it does not lie there. */
export function partsBelow(directory: string | undefined, path: string): readonly string[] | undefined {
  if (directory === undefined || !isInside(directory, path)) return undefined;
  const parts = components(path);
  return directory === "/" ? parts : parts.slice(components(directory).length);
}
