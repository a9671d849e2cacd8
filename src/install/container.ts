import type { System } from "../system/index.ts";

/** Files that Docker, Podman and their likes put into every container. */
const CONTAINER_MARKS = ["/.dockerenv", "/run/.containerenv"];

export function isContainer({ files }: Pick<System, "files">): boolean {
  return CONTAINER_MARKS.some(path => files.follow(path)?.kind === "file");
}
