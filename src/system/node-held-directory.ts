import { closeSync, constants, existsSync, fstatSync, openSync } from "node:fs";
import { attempt, toNodePath } from "./node-errors.ts";
import { components } from "./paths.ts";
import type { Files } from "./system.ts";

/** Not among Node's constants: a handle for looking up names only, which needs no right to read. */
const O_PATH = 0o10000000;
const FLAGS = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Linux looks up names in an open directory below `/proc/self/fd`; other systems have no such path. */
export function holdDirectoryOnLinux(): Pick<Files, "holdDirectory"> {
  if (process.platform !== "linux" || !existsSync("/proc/self/fd")) return {};
  return {
    holdDirectory: path =>
      attempt("open", path, () => {
        let fd = openSync("/", FLAGS);
        try {
          for (const name of components(path)) {
            const below = openSync(toNodePath(`/proc/self/fd/${fd}/${name}`), FLAGS);
            closeSync(fd);
            fd = below;
          }
        } catch (error) {
          closeSync(fd);
          throw error;
        }
        const { dev, ino } = fstatSync(fd, { bigint: true });
        return { path: `/proc/self/fd/${fd}`, identity: `${dev}:${ino}`, release: () => closeSync(fd) };
      }),
  };
}
