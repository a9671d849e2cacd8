import { count } from "../text/index.ts";
import { isFolder } from "./figures.ts";
import type { PathStep, UndoPlan } from "./interface.ts";

/** The steps of a plan, by what a person wants to know of them. */
export interface SortedSteps {
  /** not there now, and there afterwards */
  readonly comesBack: readonly PathStep[];
  /** there now, and with other content, permissions or time afterwards */
  readonly changesBack: readonly PathStep[];
  /** there now, and not afterwards */
  readonly goesAway: readonly PathStep[];
}

export function sortSteps({ steps }: Pick<UndoPlan, "steps">): SortedSteps {
  const writes = steps.filter(({ action }) => action === "restore" || action === "attributes");
  return {
    comesBack: writes.filter(({ present }) => present.kind === "absent"),
    changesBack: writes.filter(({ present }) => present.kind !== "absent"),
    goesAway: steps.filter(({ action }) => action === "remove"),
  };
}

/** `12 files and 1 folder` */
export function countPaths(steps: readonly PathStep[]): string {
  const folders = steps.filter(isFolderStep).length;
  const files = steps.length - folders;
  const parts = [
    ...(files > 0 ? [count(files, "file")] : []),
    ...(folders > 0 ? [count(folders, "folder")] : []),
  ];
  return parts.join(" and ");
}

export function isFolderStep({ present, target }: PathStep): boolean {
  return isFolder({ before: present, after: target });
}
