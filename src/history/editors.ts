import { basename, dirname, type Files } from "../system/index.ts";

/** What editors lay beside a file that a person has open: Vim and its kin, Kate, Emacs, LibreOffice. */
function editorTraces(path: string): readonly string[] {
  const name = basename(path);
  const hidden = name.startsWith(".") ? name : `.${name}`;
  const names = [
    `${hidden}.swp`,
    `${hidden}.swo`,
    `${hidden}.kate-swp`,
    `.#${name}`,
    `#${name}#`,
    `.~lock.${name}#`,
  ];
  return names.map(one => `${dirname(path)}/${one}`);
}

const TRACE = /^(\..+\.(sw[a-p]|kate-swp)|\.#.+|#.+#|\.~lock\..+#)$/;

/** An editor made it for itself. */
export function isTrace(path: string): boolean {
  return TRACE.test(basename(path));
}

/** A look at those beyond would take longer than they are worth. */
const MAX_LOOKED_AT = 1_000;

/** Those of the files that are open in an editor now. */
export function openInEditors(files: Pick<Files, "stampsOf">, paths: readonly string[]): readonly string[] {
  const traces = paths
    .slice(0, MAX_LOOKED_AT)
    .flatMap(path => editorTraces(path).map(trace => ({ path, trace })));
  if (traces.length === 0) return [];
  const stamps = files.stampsOf(traces.map(({ trace }) => trace).join("\0")).split("\n");
  // The name of an error (a name that is too long with what an editor adds) is no trace.
  return [...new Set(traces.filter((_, at) => stamps[at]?.includes(":")).map(({ path }) => path))];
}
