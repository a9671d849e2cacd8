import { normalise } from "../../system/paths.ts";
import type { FileKind, System } from "../../system/system.ts";

const LINK_LIMIT = 40;
const PATH_LIMIT = 4096;

const OF_THE_PROCESS = /^\/dev\/(?:fd\/\d+|stdin|stdout|stderr)$/;

/**
 * The few look-ups the guard makes, each at most once per judgement. Nothing throws: what cannot be read is not
 * there, and the rules then judge by name alone.
 */
export interface Disk {
  /** kind of the name itself, links not followed */
  kind(path: string): FileKind | undefined;
  /** names in the directory; undefined when it cannot be listed or holds more than 200 */
  names(path: string): readonly string[] | undefined;
  text(path: string, limitBytes: number): string | undefined;
  /**
   * The path with links and `..` resolved as the kernel does. The last component is resolved only when
   * `followsLast`: a link that is deleted or moved is itself the target.
   */
  resolve(path: string, followsLast: boolean): string;
}

const LIST_LIMIT = 200;

/** `links` are names that the command itself makes for other paths: they count as if they were there. */
export function createDisk(
  system: Pick<System, "files" | "text">,
  links: ReadonlyMap<string, string> = new Map(),
): Disk {
  const { files } = system;
  const kinds = new Map<string, FileKind | undefined>();
  const texts = new Map<string, string | undefined>();
  const lists = new Map<string, readonly string[] | undefined>();

  const kind = (path: string): FileKind | undefined => {
    if (links.has(path)) return "symlink";
    if (kinds.has(path)) return kinds.get(path);
    const found = attempt(() => files.inspect(path)?.kind);
    kinds.set(path, found);
    return found;
  };

  const resolve = (path: string, followsLast: boolean): string => {
    // These lead into the process that looks: ours, not that of the command.
    if (OF_THE_PROCESS.test(path)) return path;
    // The kernel refuses longer ones, so there is nothing to follow.
    if (path.length > PATH_LIMIT) return normalise(path);
    const waiting = path.split("/").reverse();
    let reached = "/";
    let followed = 0;
    for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
      if (part === "" || part === ".") continue;
      if (part === "..") {
        reached = normalise(`${reached}/..`);
        continue;
      }
      const next = reached === "/" ? `/${part}` : `${reached}/${part}`;
      const isLast = waiting.every(rest => rest === "");
      const isFollowed = followsLast || !isLast || waiting.length > 0;
      const target =
        isFollowed && followed < LINK_LIMIT && kind(next) === "symlink"
          ? (links.get(next) ?? attempt(() => files.readLink(next)))
          : undefined;
      if (target === undefined) {
        reached = next;
        continue;
      }
      followed += 1;
      if (target.startsWith("/")) reached = "/";
      waiting.push(...target.split("/").reverse());
    }
    return reached;
  };

  return {
    kind,
    resolve,
    names: path => {
      if (lists.has(path)) return lists.get(path);
      const names = attempt(() => files.list(path));
      const few = names === undefined || names.length > LIST_LIMIT ? undefined : names;
      lists.set(path, few);
      return few;
    },
    text: (path, limitBytes) => {
      if (texts.has(path)) return texts.get(path);
      const content = attempt(() => {
        if (files.follow(path)?.kind !== "file") return undefined;
        return system.text.decode(files.read(path, limitBytes)).text;
      });
      texts.set(path, content);
      return content;
    },
  };
}

function attempt<Answer>(ask: () => Answer | undefined): Answer | undefined {
  try {
    return ask();
  } catch {
    return undefined;
  }
}
